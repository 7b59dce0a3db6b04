//! Numbers of images and objects.

use std::collections::HashSet;

use guard_core::no_retain;
use serde::Serialize;

use super::histogram::Histogram;
use crate::data::{Dataset, FileSet, TruthObject};

/// Areas in square pixels from which COCO calls an object medium and large.
const MEDIUM: f64 = 32.0 * 32.0;
const LARGE: f64 = 96.0 * 96.0;

const SIDES: &[f64] = &[64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0];
const BOX_SIDES: &[f64] = &[4.0, 8.0, 16.0, 32.0, 64.0, 96.0, 128.0, 256.0, 512.0, 1024.0];
const ASPECTS: &[f64] = &[0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 4.0, 10.0];

/// The objects of one class.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// Its name.
    pub name: String,
    /// Objects, without crowds.
    pub objects: usize,
    /// Images with at least one of them.
    pub images: usize,
    /// Objects of less than 32 by 32 pixels.
    pub small: usize,
    /// Objects from there to 96 by 96 pixels.
    pub medium: usize,
    /// Larger objects.
    pub large: usize,
}

/// One image and a number about it.
#[no_retain]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImageCount {
    /// The file.
    pub image: String,
    /// Objects in it.
    pub objects: usize,
    /// Its width and height in pixels.
    pub size: [u32; 2],
}

/// What is counted in a split.
#[no_retain]
#[derive(Debug, Clone, Serialize)]
pub struct Counts {
    /// Images.
    pub images: usize,
    /// Images without an object.
    pub empty_images: usize,
    /// Objects, without crowds.
    pub objects: usize,
    /// Groups that count in the evaluation only.
    pub crowds: usize,
    /// Objects that repeat another of their image: same class, same box.
    pub repeated_objects: usize,
    /// By class.
    pub classes: Vec<ClassCount>,
    /// The image with most objects: it decides the peak of memory.
    pub busiest: ImageCount,
    /// The image with most pixels.
    pub largest: ImageCount,
    /// Of images, boxes: sides and aspects.
    pub histograms: Vec<Histogram>,
}

impl Counts {
    pub(super) fn of(set: &FileSet, classes: &[String]) -> Self {
        let class = |name: &String| ClassCount { name: name.clone(), ..ClassCount::default() };
        let mut counts = Self {
            images: set.len(),
            empty_images: 0,
            objects: 0,
            crowds: 0,
            repeated_objects: 0,
            classes: classes.iter().map(class).collect(),
            busiest: ImageCount::default(),
            largest: ImageCount::default(),
            histograms: vec![
                Histogram::new("longer side of images in pixels", SIDES),
                Histogram::new("width / height of images", ASPECTS),
                Histogram::new("square root of the area of objects in pixels", BOX_SIDES),
                Histogram::new("width / height of objects", ASPECTS),
            ],
        };
        (0..set.len()).for_each(|index| counts.add_image(set, index));
        counts
    }

    fn add_image(&mut self, set: &FileSet, index: usize) {
        let size = set.table.size(index);
        let [width, height] = size.map(f64::from);
        self.histograms[0].count(width.max(height));
        self.histograms[1].count(width / height);
        let truth = set.table.truth(index);
        self.crowds += truth.iter().filter(|object| object.crowd).count();
        let objects: Vec<&TruthObject> = truth.iter().filter(|object| !object.crowd).collect();
        self.empty_images += usize::from(objects.is_empty());
        self.add_objects(&objects);
        let image = || set.locate(index).trim_matches('`').to_owned();
        if objects.len() > self.busiest.objects {
            self.busiest = ImageCount { image: image(), objects: objects.len(), size };
        }
        let pixels = |[width, height]: [u32; 2]| u64::from(width) * u64::from(height);
        if pixels(size) > pixels(self.largest.size) {
            self.largest = ImageCount { image: image(), objects: objects.len(), size };
        }
    }

    fn add_objects(&mut self, objects: &[&TruthObject]) {
        let (mut classes, mut boxes) = (HashSet::new(), HashSet::new());
        for object in objects {
            self.add_object(object);
            self.classes[object.label as usize].images += usize::from(classes.insert(object.label));
            let key = (object.label, object.box_xyxy.map(f64::to_bits));
            self.repeated_objects += usize::from(!boxes.insert(key));
        }
    }

    fn add_object(&mut self, object: &TruthObject) {
        let [left, top, right, bottom] = object.box_xyxy;
        let area = object.area.unwrap_or((right - left) * (bottom - top));
        let class = &mut self.classes[object.label as usize];
        class.objects += 1;
        *match area {
            _ if area < MEDIUM => &mut class.small,
            _ if area < LARGE => &mut class.medium,
            _ => &mut class.large,
        } += 1;
        self.objects += 1;
        self.histograms[2].count(area.sqrt());
        self.histograms[3].count((right - left) / (bottom - top));
    }
}
