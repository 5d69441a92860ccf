//! The approximate canonical form of GLOP and SPOTS: rename, sort, rename, sort.
//!
//! Both programs look lands up by their text, so a text in another form is never found. It is not a
//! canonical form: relabellings of a land can have different forms, and the form of a form can be
//! yet another (`docs/foreign-formats.md` has figures). What follows is from published
//! descriptions; no source was read.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::spelling::{Boundary, Mark, Region, Spelling};

/// Replaces a spelling by its form.
pub(crate) fn approximate(land: &mut Spelling) {
    rename_upper(land);
    sort(land);
    rename_lower(land);
    rename_upper(land);
    sort(land);
}

/// Names upper-case letters in order of appearance in the land.
fn rename_upper(land: &mut Spelling) {
    let mut names = HashMap::new();
    for mark in land.0.iter_mut().flatten().flatten() {
        if let Mark::Upper(name) = mark {
            let next = names.len() as u16;
            *name = *names.entry(*name).or_insert(next);
        }
    }
}

/// Names lower-case letters in order of appearance in their boundary.
fn rename_lower(land: &mut Spelling) {
    for boundary in land.0.iter_mut().flatten() {
        let mut names = HashMap::new();
        for mark in boundary {
            if let Mark::Lower(name) = mark {
                let next = names.len() as u16;
                *name = *names.entry(*name).or_insert(next);
            }
        }
    }
}

/// Rotates boundaries, mirrors regions and sorts, all towards the least text.
fn sort(land: &mut Spelling) {
    for region in &mut land.0 {
        let mut mirror = region.clone();
        mirror.iter_mut().for_each(|boundary| boundary.reverse());
        sort_region(region);
        sort_region(&mut mirror);
        if compare(region_text(&mirror), region_text(region)).is_lt() {
            *region = mirror;
        }
    }
    land.0.sort_by(|a, b| compare(region_text(a), region_text(b)));
}

fn sort_region(region: &mut Region) {
    region.iter_mut().for_each(rotate);
    region.sort_by(|a, b| compare(boundary_text(a), boundary_text(b)));
}

/// Rotates a boundary to its least text.
fn rotate(boundary: &mut Boundary) {
    let turned = |by: usize| boundary[by..].iter().chain(&boundary[..by]).copied();
    let least = (0..boundary.len()).min_by(|&a, &b| compare(turned(a), turned(b)));
    boundary.rotate_left(least.unwrap_or(0));
}

/// The order of lands in a position.
pub(crate) fn compare_lands(a: &Spelling, b: &Spelling) -> Ordering {
    compare(land_text(a), land_text(b))
}

/// The order of texts: first with all letters of a class equal, then by their names.
fn compare(
    a: impl Iterator<Item = Mark> + Clone,
    b: impl Iterator<Item = Mark> + Clone,
) -> Ordering {
    let by_class = a.clone().map(Mark::class).cmp(b.clone().map(Mark::class));
    by_class.then_with(|| a.cmp(b))
}

fn boundary_text(boundary: &Boundary) -> impl Iterator<Item = Mark> + Clone + '_ {
    boundary.iter().copied().chain([Mark::EndBoundary])
}

fn region_text(region: &Region) -> impl Iterator<Item = Mark> + Clone + '_ {
    region.iter().flat_map(boundary_text).chain([Mark::EndRegion])
}

fn land_text(land: &Spelling) -> impl Iterator<Item = Mark> + Clone + '_ {
    land.0.iter().flat_map(region_text).chain([Mark::EndLand])
}
