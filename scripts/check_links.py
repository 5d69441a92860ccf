#!/usr/bin/env python3
"""Follows every link between the pages of a book, and every anchor.

    scripts/check_links.py FOLDER

Links to other sites are not followed. Exit code 1 says that one leads nowhere.
"""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.anchors.add(attrs["id"])
        link = attrs.get("href") if tag == "a" else attrs.get("src") if tag == "img" else None
        if link:
            self.links.append(link)


def main(folder):
    pages = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html") and name not in ("print.html", "404.html", "toc.html"):
                path = os.path.join(where, name)
                pages[os.path.realpath(path)] = Page(path)
    broken, followed = [], 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("/"):
                continue
            followed += 1
            target = urllib.parse.unquote(parts.path)
            there = os.path.realpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(there):
                broken.append((path, link, "no such file"))
            elif there in pages and urllib.parse.unquote(parts.fragment) not in pages[there].anchors:
                broken.append((path, link, "no such place"))
    for path, link, why in broken:
        print(f"{os.path.relpath(path, folder)}: {link}: {why}")
    print(f"{len(pages)} pages, {followed} links, {len(broken)} lead nowhere")
    return 1 if broken or not followed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
