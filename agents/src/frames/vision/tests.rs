use image::{Rgb, RgbImage};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use rand::RngExt as _;
use waldo_devices::Point;

use super::grid::gutters;
use super::synthetic::{BLOBS, Blob, blob, blobs, chance, colour_away, fill, noise, page, plain};
use super::*;

const ONE: Density = Density(1);

#[test]
fn panels_of_pages_are_found_and_nothing_else() {
    let (mut planted, mut hit, mut extra) = (0, 0, 0);
    for seed in 0..300 {
        let (picture, panels) = page(seed);
        let found = frames(&picture, ONE);
        let tops: Vec<PxRect> = found.iter().filter(|f| f.depth == 0).map(|f| f.rect).collect();
        planted += panels.len();
        hit += panels.iter().filter(|p| tops.iter().any(|t| t.iou(p) >= 0.9)).count();
        extra += tops.iter().filter(|t| panels.iter().all(|p| t.iou(p) < 0.5)).count();
    }
    println!("panels: {hit} of {planted} at IoU 0.9, {extra} extra");
    assert!(hit * 100 >= planted * 99, "{hit} of {planted}");
    assert!(extra * 100 <= planted, "{extra} extra");
}

#[test]
fn frames_name_what_they_stand_in() {
    let (picture, _) = page(3);
    let found = frames(&picture, ONE);
    assert!(found.iter().any(|f| f.depth == 1));
    for (n, frame) in found.iter().enumerate() {
        if let Some(parent) = frame.parent {
            assert!(parent < n && found[parent].depth + 1 == frame.depth);
            assert_eq!(found[parent].rect.intersect(&frame.rect), frame.rect);
        } else {
            assert_eq!(frame.depth, 0);
        }
    }
}

#[test]
fn a_shadow_is_no_part_of_its_panel() {
    let mut picture = plain(900, 600, [243, 244, 246]);
    let panel = PxRect::new(200, 120, 420, 300);
    for n in (1..=28u32).rev() {
        let fade = 243 - (28 - n) as u8 * 2;
        fill(&mut picture, panel.outset(n, 900, 600), [fade, fade, fade]);
    }
    fill(&mut picture, panel, [255, 255, 255]);
    fill(&mut picture, PxRect::new(240, 160, 60, 40), [40, 80, 160]);
    let found = frames(&picture, ONE);
    assert!(found[0].rect.iou(&panel) >= 0.95, "{:?}", found[0]);
}

#[test]
fn planted_blobs_have_a_point_nearby() {
    let (mut planted, mut hit, mut most) = (0, 0, 0);
    for seed in 0..300 {
        let (picture, at) = blobs(seed);
        let points = propose(&picture, &PxRect::whole(&picture), ONE);
        most = most.max(points.len());
        planted += at.len();
        hit += at.iter().filter(|b| points.iter().any(|p| p.distance(**b) <= 20.0)).count();
    }
    println!("blobs: {hit} of {planted} within 20 px, at most {most} points");
    assert!(hit * 100 >= planted * 97, "{hit} of {planted}");
    assert!(most <= 60);
}

#[test]
fn every_single_blob_on_a_plain_ground_has_a_point() {
    for seed in 0..100 {
        let rng = &mut chance(1000 + seed);
        let ground = [rng.random(), rng.random(), rng.random()];
        let mut picture = plain(400, 300, ground);
        let at = PixelPoint::new(rng.random_range(30..370), rng.random_range(30..270));
        let colour = colour_away(rng, ground, 24);
        blob(&mut picture, BLOBS[seed as usize % 5], at, 12.0, colour);
        let points = propose(&picture, &PxRect::whole(&picture), ONE);
        assert!(points.iter().any(|p| p.distance(at) <= 8.0), "{seed} {at:?} {points:?}");
    }
}

#[test]
fn numbers_of_points_are_never_given_twice() {
    let mut known = Keypoints::default();
    let first = known.add(&[PixelPoint::new(10, 10), PixelPoint::new(50, 50)], ONE);
    let second = known.add(&[PixelPoint::new(90, 20), PixelPoint::new(12, 11)], ONE);
    assert_eq!((first[0].id, first[1].id, second[0].id, second[1].id), (0, 1, 2, 0));
    assert_eq!(second[1].at, PixelPoint::new(10, 10));
    assert_eq!(known.get(2), Ok(PixelPoint::new(90, 20)));
    let error = known.get(9).unwrap_err();
    assert_eq!(error.to_string(), "no point has the number 9: there are 3, numbered from 0");
    let (picture, _) = blobs(1);
    let finer = known.around(&picture, 1, ONE).unwrap();
    assert!(!finer.is_empty() && finer.len() <= 24);
    assert!(known.around(&picture, 99, ONE).is_err());
}

type Rgb8 = [u8; 3];

fn icon(seed: u64, kind: Blob, colour: Rgb8, ground: Rgb8, size: u32, shift: (i32, i32)) -> RgbImage {
    let mut picture = plain(size, size, ground);
    let moved = |by: i32| (size as i32 / 2 + by).max(0) as u32;
    blob(&mut picture, kind, PixelPoint::new(moved(shift.0), moved(shift.1)), f64::from(size) * 0.3, colour);
    noise(&mut picture, &mut chance(seed), 4);
    picture
}

#[test]
fn the_same_thing_matches_and_others_do_not() {
    let (mut same, mut different, mut alike_ok, mut differ_ok) = (0, 0, 0, 0);
    for seed in 0..500u64 {
        let rng = &mut chance(seed);
        let kind = BLOBS[rng.random_range(0..5)];
        let grounds = [[250u8, 250, 250], [235, 240, 245]];
        let colour = colour_away(rng, grounds[0], 90);
        let shift = (rng.random_range(-4..5), rng.random_range(-4..5));
        let a = icon(seed, kind, colour, grounds[0], 64, (0, 0));
        let (ground, size) = (grounds[rng.random_range(0..2)], rng.random_range(56..80));
        let b = icon(seed + 1, kind, colour, ground, size, shift);
        same += 1;
        alike_ok += usize::from(alike(&a, &b).same);
        let other_kind = BLOBS[(BLOBS.iter().position(|k| *k == kind).unwrap() + rng.random_range(1..5)) % 5];
        let other = if seed % 2 == 0 {
            icon(seed, other_kind, colour, grounds[0], 64, shift)
        } else {
            let mut far = colour;
            while super::colour::far(far, colour) <= 70 {
                far = colour_away(rng, grounds[0], 90);
            }
            icon(seed, kind, far, grounds[0], 64, shift)
        };
        different += 1;
        differ_ok += usize::from(!alike(&a, &other).same);
    }
    println!("match: {alike_ok} of {same} same, {differ_ok} of {different} different");
    assert!(alike_ok * 100 >= same * 99 && differ_ok * 100 >= different * 99);
}

#[test]
fn blank_pictures_match_nothing() {
    let blank = plain(48, 48, [240, 240, 240]);
    let mut noisy = blank.clone();
    noise(&mut noisy, &mut chance(5), 4);
    let thing = icon(1, Blob::Disc, [200, 30, 30], [240, 240, 240], 48, (0, 0));
    for (a, b) in [(&blank, &blank), (&blank, &noisy), (&blank, &thing), (&noisy, &thing)] {
        assert!(!alike(a, b).same);
    }
    assert!(!alike(&plain(2, 2, [0; 3]), &thing).same);
}

#[test]
fn elements_of_a_frame_are_proposed() {
    let mut picture = plain(420, 300, [250, 250, 252]);
    let cards: Vec<PxRect> =
        (0..6).map(|n| PxRect::new(30 + 130 * (n % 3), 40 + 120 * (n / 3), 100, 90)).collect();
    for (n, card) in cards.iter().enumerate() {
        fill(&mut picture, *card, [190, 196, 208]);
        fill(&mut picture, card.inset(2), [232, 235, 240]);
        blob(&mut picture, BLOBS[n % 5], card.center(), 24.0, [200, 40, 60]);
    }
    let found = elements(&picture, &PxRect::whole(&picture), ONE);
    for card in &cards {
        assert!(found.iter().any(|s| s.depth == 0 && s.rect.iou(card) > 0.9), "{card:?} {found:?}");
        assert!(found.iter().any(|s| s.depth == 1 && s.rect.center().distance(card.center()) < 10.0));
    }
    assert!(elements(&plain(50, 50, [9; 3]), &PxRect::new(0, 0, 50, 50), ONE).is_empty());
}

#[test]
fn rows_that_stand_close_together_are_elements_wherever_they_begin() {
    for density in [Density(1), Density(2)] {
        let px = |n| density.px(n);
        for from in 0..8 {
            let mut picture = plain(px(460), px(360), [232, 235, 240]);
            let rows: Vec<PxRect> = (0..5)
                .map(|n| PxRect::new(px(40) + from, px(60) + from + n * px(43), px(300), px(38)))
                .collect();
            for (n, row) in rows.iter().enumerate() {
                fill(&mut picture, *row, [184, 192, 204]);
                fill(&mut picture, row.inset(px(1)), [255, 255, 255]);
                let mark = PxRect::new(row.x + px(120), row.y + px(10), px(20 + 4 * n as u32), px(16));
                fill(&mut picture, mark, [30, 32, 40]);
            }
            // What frames are found as: all the rows as one thing.
            let all = rows.iter().fold(rows[0], |all, row| all.union(row));
            let found = elements(&picture, &all, density);
            for row in &rows {
                assert!(found.iter().any(|s| s.rect.iou(row) > 0.9), "{density:?} {from} {row:?} {found:?}");
            }
            // What is not a higher than a word falls into no more parts than before.
            let word = PxRect::new(px(40), px(310), px(90), px(16));
            let mut left = word.x;
            for wide in [14, 22, 13, 20, 16] {
                fill(&mut picture, PxRect::new(left, word.y, px(wide), word.h), [30, 32, 40]);
                left += px(wide + 1);
            }
            let found = elements(&picture, &word.outset(px(3), px(460), px(360)), density);
            assert!(found.iter().all(|s| s.rect.w >= px(80)), "{found:?}");
        }
    }
}

#[test]
fn a_handle_is_found_with_a_word_right_beside_its_track() {
    let mut picture = plain(600, 120, [255, 255, 255]);
    // Five letters, then a track with its handle.
    for n in 0..5 {
        fill(&mut picture, PxRect::new(40 + 9 * n, 50, 6, 14), [20, 20, 20]);
    }
    fill(&mut picture, PxRect::new(90, 54, 400, 6), [180, 180, 190]);
    let handle = PxRect::new(150, 49, 16, 16);
    fill(&mut picture, handle, [0, 110, 220]);
    let found = elements(&picture, &PxRect::whole(&picture), ONE);
    assert!(found.iter().any(|s| s.rect.iou(&handle) > 0.9), "{found:?}");
}

#[test]
fn words_are_left_out_before_what_they_stand_beside() {
    let frame = |rect, parent, depth| FoundFrame { rect, parent, depth };
    let mut found = vec![
        frame(PxRect::new(50, 20, 500, 500), None, 0),
        frame(PxRect::new(70, 120, 460, 300), Some(0), 1),
        frame(PxRect::new(90, 140, 420, 260), Some(1), 2),
        frame(PxRect::new(400, 450, 110, 36), Some(0), 1),
    ];
    let kept: Vec<PxRect> = found.iter().map(|f| f.rect).collect();
    found.extend((0..14).map(|n| frame(PxRect::new(60 + 32 * n, 40, 30, 14), Some(0), 1)));
    assert_eq!(foremost(&found, 12, ONE), kept);
    assert_eq!(foremost(&found, found.len(), ONE).len(), found.len());
    // Choices are kept beside words, as long as there is room for them.
    found.extend((0..6).map(|n| frame(PxRect::new(100 + 60 * n, 150, 50, 50), Some(1), 2)));
    assert_eq!(foremost(&found, 12, ONE).len(), 10);
    found.extend((0..6).map(|n| frame(PxRect::new(100 + 60 * n, 220, 50, 50), Some(1), 2)));
    assert_eq!(foremost(&found, 12, ONE), kept);
    // Panels of which there are more than can be described say no more than the page.
    let panels: Vec<FoundFrame> = (0..13).map(|n| frame(PxRect::new(0, 60 * n, 300, 50), None, 0)).collect();
    assert_eq!(foremost(&panels, 12, ONE), Vec::new());
}

fn tiles(rows: u32, columns: u32) -> RgbImage {
    let mut picture = plain(20 + 70 * columns, 20 + 60 * rows, [255; 3]);
    for n in 0..rows * columns {
        let tile = PxRect::new(20 + 70 * (n % columns), 20 + 60 * (n / columns), 50, 40);
        fill(&mut picture, tile, [90, 120, 180]);
    }
    picture
}

#[test]
fn gutters_agree_with_a_split_or_name_both() {
    let picture = tiles(2, 3);
    let whole = PxRect::whole(&picture);
    let [rows, columns] = gutters(&picture, &whole);
    assert_eq!((rows.len(), columns.len()), (2, 3));
    assert_eq!(split(&picture, &whole, (2, 3), false).unwrap().len(), 6);
    let message = split(&picture, &whole, (3, 2), false).unwrap_err().to_string();
    let named = message.contains("3 rows and 2 columns") && message.contains("2 rows and 3 columns");
    assert!(named, "{message}");
    // Nothing shows where a plain picture would be split.
    assert_eq!(split(&plain(90, 60, [7; 3]), &PxRect::new(0, 0, 90, 60), (2, 3), false).unwrap().len(), 6);
    assert!(split(&picture, &whole, (0, 3), false).is_err());
}

#[test]
fn a_cut_is_moved_into_its_gap_and_one_through_a_thing_is_told() {
    // Two cards of unlike width: the middle lies in the wider one, the gap beside it.
    let mut picture = plain(400, 100, [250; 3]);
    fill(&mut picture, PxRect::new(10, 10, 240, 80), [200, 30, 30]);
    fill(&mut picture, PxRect::new(270, 10, 120, 80), [30, 30, 200]);
    let whole = PxRect::new(0, 0, 400, 100);
    let cells = split(&picture, &whole, (1, 2), false).unwrap();
    assert!((250..=270).contains(&cells[0].right()) && cells[1].right() == 400, "{cells:?}");
    let message = split(&picture, &whole, (2, 1), false).unwrap_err().to_string();
    assert!(message.contains("cut 1 of 1 between rows") && message.contains("even=True"), "{message}");
    assert_eq!(split(&picture, &whole, (2, 1), true).unwrap()[1], PxRect::new(0, 50, 400, 50));
    // Cells that touch each other are cut where their colours meet.
    let touching = RgbImage::from_fn(200, 100, |x, y| {
        Rgb(if (x < 100) == (y < 50) { [200, 90, 20] } else { [20, 90, 200] })
    });
    let cells = split(&touching, &PxRect::whole(&touching), (2, 2), false).unwrap();
    assert_eq!(cells[3], PxRect::new(100, 50, 100, 50));
}

#[test]
fn cells_that_leave_little_room_have_gutters_too() {
    let mut picture = plain(348, 288, [240; 3]);
    for n in 0..9 {
        let at = PxRect::new(10 + 112 * (n % 3), 10 + 92 * (n / 3), 104, 84);
        fill(&mut picture, at, [255, 255, 255]);
        blob(&mut picture, BLOBS[n as usize % 5], at.center(), 24.0, [40, 90, 200]);
    }
    let [rows, columns] = gutters(&picture, &PxRect::whole(&picture));
    assert_eq!((rows.len(), columns.len()), (3, 3));
    // Cut close around the cells, too.
    let close = PxRect::new(10, 10, 328, 268);
    let [rows, columns] = gutters(&picture, &close);
    assert_eq!((rows.len(), columns.len()), (3, 3), "{rows:?} {columns:?}");
    let found = elements(&picture, &PxRect::whole(&picture), ONE);
    assert_eq!(found.iter().filter(|s| s.depth == 0).count(), 9, "{found:?}");
}

#[test]
fn a_number_of_tiles_becomes_rows_and_columns() {
    let picture = tiles(2, 6);
    let (rows, columns, cells) = cells_of(&picture, &PxRect::whole(&picture), 12).unwrap();
    assert_eq!((rows, columns, cells.len()), (2, 6, 12));
    let square = plain(90, 90, [7; 3]);
    let (rows, columns, _) = cells_of(&square, &PxRect::whole(&square), 9).unwrap();
    assert_eq!((rows, columns), (3, 3));
    assert!(matches!(cells_of(&square, &PxRect::whole(&square), 7), Err(GridError::NoGrid { tiles: 7 })));
    let row = tiles(1, 5);
    assert_eq!(cells_of(&row, &PxRect::whole(&row), 5).unwrap().1, 5);
}

#[test]
fn a_preview_moves_the_thing_and_fills_its_place() {
    let mut picture = plain(200, 120, [240, 240, 240]);
    blob(&mut picture, Blob::Disc, PixelPoint::new(40, 60), 14.0, [200, 30, 30]);
    fill(&mut picture, PxRect::new(130, 40, 40, 40), [60, 60, 200]);
    let thing = PxRect::new(24, 44, 32, 32);
    let after = preview(&picture, &thing, PixelPoint::new(150, 60)).unwrap();
    assert_eq!(after.get_pixel(40, 60).0, [240, 240, 240]);
    assert_eq!(after.get_pixel(150, 60).0, [200, 30, 30]);
    // The corner of the thing's box is ground, and does not cover what it is laid on.
    assert_eq!(after.get_pixel(136, 46).0, [60, 60, 200]);
    assert_eq!(picture.get_pixel(40, 60).0, [200, 30, 30], "what was given is as it was");
    assert!(preview(&picture, &PxRect::new(300, 0, 9, 9), PixelPoint::new(1, 1)).is_err());
    assert_eq!(candidates(&picture, PixelPoint::new(100, 60), 8).len(), 9);
    assert_eq!(candidates(&picture, PixelPoint::new(0, 0), 8).len(), 4);
}

#[test]
fn rows_of_pictures_come_round_or_end() {
    let pictures: Vec<_> =
        (0..5u64).map(|n| icon(n, BLOBS[n as usize], [20, 60, 200], [250; 3], 80, (0, 0))).collect();
    let mut watch = CycleWatch::new(pictures[0].clone(), 40);
    for (n, picture) in pictures.iter().enumerate().skip(1) {
        assert_eq!(watch.saw(picture), RowPicture::New(n));
    }
    assert_eq!(watch.saw(&pictures[0]), RowPicture::Round(5));
    let mut watch = CycleWatch::new(pictures[0].clone(), 40);
    assert_eq!(watch.saw(&pictures[1]), RowPicture::New(1));
    assert_eq!(watch.saw(&pictures[1]), RowPicture::End);
    let mut watch = CycleWatch::new(pictures[0].clone(), 2);
    assert_eq!((watch.saw(&pictures[1]), watch.saw(&pictures[2])), (RowPicture::New(1), RowPicture::Full));
    assert_eq!(watch.pictures.len(), 2);
}

#[test]
fn fingerprints_tell_pictures_apart() {
    let (a, _) = page(1);
    let (b, _) = page(2);
    let mut near = a.clone();
    noise(&mut near, &mut chance(1), 2);
    let distance = |x, y| Fingerprint::of(x).distance(&Fingerprint::of(y));
    assert_eq!(distance(&a, &a), 0);
    assert!(distance(&a, &b) > 25, "{}", distance(&a, &b));
    assert!(distance(&a, &near) < distance(&a, &b));
}

#[test]
fn pictures_are_handled_within_bounds() {
    let picture = VisionPicture::from(icon(1, Blob::Disc, [200, 30, 30], [250; 3], 60, (0, 0)));
    let part = picture.crop(&PxRect::new(50, 50, 40, 40)).unwrap();
    assert_eq!(part.size(), (10, 10));
    assert!(picture.crop(&PxRect::new(60, 0, 5, 5)).is_err());
    assert_eq!(picture.resize(30, 20).unwrap().size(), (30, 20));
    assert!(picture.resize(0, 9).is_err() && picture.resize(9, 100_000).is_err());
    assert_eq!(VisionPicture::from(plain(4, 4, [10, 20, 30])).mean_color(), [10, 20, 30]);
    assert_eq!(picture.compare(&picture.clone()), Compared::Same);
    let mut noisy = picture.pixels().clone();
    // A pixel here and there, as another way of smoothing letters leaves.
    for n in 0..20 {
        let at = noisy.get_pixel_mut(10 + n, 30);
        at.0[0] = at.0[0].saturating_add(3);
    }
    let noisy = VisionPicture::from(noisy);
    assert!(matches!(picture.compare(&noisy), Compared::Near(_)), "{:?}", picture.compare(&noisy));
    let other = VisionPicture::from(icon(2, Blob::Cross, [20, 130, 30], [250; 3], 60, (0, 0)));
    assert!(matches!(picture.compare(&other), Compared::Different(_)));
    assert!(picture.diff(&other) > 0.05 && picture.diff(&picture) == 0.0);
    assert!(picture.matches(&noisy) && !picture.matches(&other));
    let empty = VisionPicture::from(plain(0, 0, [0; 3]));
    assert_eq!((empty.diff(&picture), empty.mean_color()), (1.0, [0; 3]));
}

#[test]
fn pixels_have_a_place_on_the_screen() {
    let origin = Point::new(100.0, 50.0);
    assert_eq!(PixelPoint::new(3, 4).to_physical(origin), Point::new(103.5, 54.5));
    let rect = PxRect::new(3, 4, 10, 20).to_physical(origin);
    assert_eq!((rect.x, rect.y, rect.w, rect.h), (103.0, 54.0, 10.0, 20.0));
    assert_eq!((Density::of(2.0).px(4), Density::of(0.1).px(4)), (8, 4));
}

proptest! {
    #[test]
    fn nothing_leaves_the_picture(seed in any::<u64>(), x in 0u32..500, y in 0u32..400, w in 0u32..600, h in 0u32..500) {
        let (picture, _) = blobs(seed);
        let whole = PxRect::whole(&picture);
        let part = PxRect::new(x, y, w, h);
        for point in propose(&picture, &part, ONE) {
            prop_assert!(whole.contains(point) && part.contains(point));
        }
        for segment in elements(&picture, &part, ONE) {
            prop_assert_eq!(segment.rect.intersect(&whole), segment.rect);
        }
        let [rows, columns] = gutters(&picture, &part);
        prop_assert!(rows.iter().all(|(at, size)| at + size <= picture.height()));
        prop_assert!(columns.iter().all(|(at, size)| at + size <= picture.width()));
        let _ = preview(&picture, &part, PixelPoint::new(x, y));
    }

    #[test]
    fn rectangles_keep_their_laws(a in (0u32..99, 0u32..99, 0u32..99, 0u32..99), b in (0u32..99, 0u32..99, 1u32..99, 1u32..99)) {
        let (a, b) = (PxRect::new(a.0, a.1, a.2, a.3), PxRect::new(b.0, b.1, b.2, b.3));
        prop_assert_eq!(a.intersect(&b).area(), b.intersect(&a).area());
        prop_assert!(a.intersect(&b).area() <= a.area().min(b.area()));
        prop_assert!((0.0..=1.0).contains(&a.iou(&b)));
        prop_assert!((b.iou(&b) - 1.0).abs() < 1e-12);
        prop_assert!(!b.inset(50).is_empty());
        prop_assert_eq!(a.union(&b).intersect(&b), b);
    }

    #[test]
    fn a_match_does_not_mind_the_order(seed in 0u64..10_000) {
        let rng = &mut chance(seed);
        let make = |rng: &mut super::synthetic::TestRng| {
            let colour = colour_away(rng, [250; 3], 60);
            icon(seed, BLOBS[rng.random_range(0..5)], colour, [250; 3], 48, (0, 0))
        };
        let (a, b) = (make(rng), make(rng));
        prop_assert_eq!(alike(&a, &b), alike(&b, &a));
        prop_assert!(alike(&a, &a).same);
    }
}
