//! The rendered set: repeatable, disjoint splits, tight boxes, nothing mostly hidden.

use trainer::data::shapes::{DEFAULT_SIDE, Kind, VAL_IMAGES};
use trainer::data::{DataError, Dataset, Shapes, Split};

fn val() -> Shapes {
    Shapes::new(Split::Val, 0, VAL_IMAGES, DEFAULT_SIDE).unwrap()
}

#[test]
fn scenes_repeat_and_splits_share_none() {
    let (val, again) = (val(), Shapes::new(Split::Val, 0, 20, DEFAULT_SIDE).unwrap());
    let train = Shapes::new(Split::Train, 0, 20, DEFAULT_SIDE).unwrap();
    let other_seed = Shapes::new(Split::Val, 1, 20, DEFAULT_SIDE).unwrap();
    for index in 0..20 {
        let image = val.sample(index).unwrap().image;
        assert_eq!(image, again.sample(index).unwrap().image);
        assert_ne!(image, train.sample(index).unwrap().image);
        assert_ne!(image, other_seed.sample(index).unwrap().image);
    }
}

#[test]
fn annotations_are_those_of_the_sample() {
    let val = val();
    for index in 0..20 {
        let (sample, annotations) = (val.sample(index).unwrap(), val.annotations(index).unwrap());
        assert_eq!(sample.image.dimensions(), (DEFAULT_SIDE, DEFAULT_SIDE));
        assert_eq!((annotations.image_id, annotations.size), (index as i64, [DEFAULT_SIDE; 2]));
        assert_eq!((annotations.labels, annotations.boxes_xyxy), (sample.labels, sample.boxes_xyxy));
    }
}

#[test]
fn scenes_vary_as_promised() {
    let val = val();
    let (mut counts, mut classes, mut areas) = ([0; 7], [0; 5], Vec::new());
    for index in 0..val.len() {
        let annotations = val.annotations(index).unwrap();
        counts[annotations.labels.len()] += 1;
        annotations.labels.iter().for_each(|&label| classes[label as usize] += 1);
        for [left, top, right, bottom] in annotations.boxes_xyxy {
            assert!(
                left >= 0.0 && top >= 0.0 && right <= 128.0 && bottom <= 128.0,
                "a shape leaves the image"
            );
            areas.push((right - left) * (bottom - top));
        }
    }
    assert_eq!(counts[0], 0);
    assert!(counts[1..].iter().all(|&images| images > 10), "images by number of shapes: {counts:?}");
    assert!(classes.iter().all(|&shapes| shapes > 80), "shapes by class: {classes:?}");
    let small = areas.iter().filter(|&&area| area < 24.0 * 24.0).count();
    let large = areas.iter().filter(|&&area| area > 50.0 * 50.0).count();
    assert!(small > 50 && large > 50, "{small} small and {large} large of {}", areas.len());
    assert_eq!(val.class_names(), Kind::ALL.map(Kind::name));
}

#[test]
fn describes_itself_in_one_line() {
    let line = val().describe();
    for part in
        ["shapes/val", "200 rendered images of 128x128", "5 classes (circle, square, triangle, star, ring)"]
    {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
    assert_eq!(val().locate(3), "scene 3 of shapes/val");
}

#[test]
fn refuses_settings_that_make_no_scene() {
    for (len, side, field) in [(0, 128, "images in the data set"), (10, 31, "side")] {
        let fault = Shapes::new(Split::Train, 0, len, side).unwrap_err();
        assert!(matches!(fault, DataError::Setting { field: found, .. } if found == field), "{fault}");
    }
}
