// Keeps, in another folder, what a power cut would leave of a database: of each file the bytes that were synced, of the
// folder the names that it had when it was synced. Loaded into the coordinator by LD_PRELOAD (chaos/src/power.rs).
//
//   SPRIG_CUT_FOLDER  the folder of the database
//   SPRIG_CUT_SHADOW  where is kept: content.INODE, names, and hold.INODE, a link, so that no inode number comes twice
//   SPRIG_CUT_DISK    "honest"; "lies": says that everything was synced, and keeps nothing; "forgets": so for logs only
//
// Only the folder itself is looked at, since a database has no others inside. Nothing is really synced: the processes are
// killed, not the machine.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what) {
    dprintf(2, "cut: %s: %s\n", what, strerror(errno));
    abort();
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    if (!value) fail(name);
    return value;
}

static void shadow(char *path, const char *kind, ino_t inode, const char *end) {
    snprintf(path, PATH_MAX, "%s/%s.%lu%s", setting("SPRIG_CUT_SHADOW"), kind, (unsigned long)inode, end);
}

// Appends bytes `from`..`size` of one file to another, or replaces it if `from` is 0.
static void copy(int in, const char *to, off_t from, off_t size) {
    int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | (from ? 0 : O_TRUNC), 0600);
    if (out < 0) fail(to);
    static char buffer[1 << 16];
    while (from < size) {
        size_t wanted = sizeof buffer < (size_t)(size - from) ? sizeof buffer : (size_t)(size - from);
        ssize_t count = pread(in, buffer, wanted, from);
        if (count < 0) fail("read");
        if (count == 0) break;
        if (pwrite(out, buffer, count, from) != count) fail("write");
        from += count;
    }
    close(out);
}

static int grows_only(const char *name) {
    size_t length = strlen(name);
    return strncmp(name, "MANIFEST-", 9) == 0 || (length > 4 && strcmp(name + length - 4, ".log") == 0);
}

static void keep_file(int fd, const char *name, const struct stat *now) {
    char self[64], to[PATH_MAX], draft[PATH_MAX];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    shadow(to, "hold", now->st_ino, "");
    linkat(AT_FDCWD, self, AT_FDCWD, to, AT_SYMLINK_FOLLOW);
    int in = open(self, O_RDONLY | O_CLOEXEC);
    if (in < 0) fail(name);
    shadow(to, "content", now->st_ino, "");
    struct stat had;
    if (grows_only(name) && stat(to, &had) == 0 && had.st_size > 0) {
        copy(in, to, had.st_size, now->st_size);
    } else {
        shadow(draft, "content", now->st_ino, ".new");
        copy(in, draft, 0, now->st_size);
        if (rename(draft, to)) fail(to);
    }
    close(in);
}

static void keep_names(const char *folder) {
    char to[PATH_MAX], draft[PATH_MAX], from[PATH_MAX], hold[PATH_MAX];
    snprintf(to, sizeof to, "%s/names", setting("SPRIG_CUT_SHADOW"));
    snprintf(draft, sizeof draft, "%s/names.new", setting("SPRIG_CUT_SHADOW"));
    FILE *names = fopen(draft, "we");
    DIR *entries = opendir(folder);
    if (!names || !entries) fail(folder);
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat file;
        snprintf(from, sizeof from, "%s/%s", folder, entry->d_name);
        if (lstat(from, &file) || !S_ISREG(file.st_mode)) continue;
        fprintf(names, "%lu %s\n", (unsigned long)file.st_ino, entry->d_name);
        shadow(hold, "hold", file.st_ino, "");
        linkat(AT_FDCWD, from, AT_FDCWD, hold, 0);
    }
    closedir(entries);
    if (fclose(names) || rename(draft, to)) fail(to);
}

static int synced(int fd) {
    struct stat now;
    char self[64], path[PATH_MAX];
    const char *folder = setting("SPRIG_CUT_FOLDER"), *disk = setting("SPRIG_CUT_DISK");
    if (fstat(fd, &now)) return -1;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(self, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    size_t above = strlen(folder);
    if (strncmp(path, folder, above)) return 0;
    char *name = path + above;
    if (!strcmp(disk, "lies")) return 0;
    pthread_mutex_lock(&one_at_a_time);
    if (S_ISDIR(now.st_mode) && !*name) {
        keep_names(folder);
    } else if (S_ISREG(now.st_mode) && *name == '/' && !strchr(name + 1, '/')) {
        size_t end = strlen(name);
        int is_log = end > 4 && !strcmp(name + end - 4, ".log");
        if (!is_log || strcmp(disk, "forgets")) keep_file(fd, name + 1, &now);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return 0;
}

int fsync(int fd) { return synced(fd); }
int fdatasync(int fd) { return synced(fd); }
