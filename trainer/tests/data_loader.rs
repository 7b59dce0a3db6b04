//! The loader: order, determinism, faults, and the end of its threads.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use guard_core::no_retain;
use image::{Rgb, RgbImage};
use tch::{Device, Kind};
use trainer::data::transforms::{Mosaic, MultiScale};
use trainer::data::{
    Annotations, Batch, DataError, Dataset, EvalTransforms, Key, Loader, LoaderConfig, Objects, Planes,
    Sample, Shapes, Split, TrainTransforms, Transform,
};

/// Images whose first pixel is their index; counts what was loaded and fails where told to.
#[no_retain]
#[derive(Default)]
struct Numbered {
    len: usize,
    loaded: AtomicUsize,
    panics_at: Option<usize>,
    fails_at: Option<usize>,
}

impl Dataset for Numbered {
    fn len(&self) -> usize {
        self.len
    }

    fn class_names(&self) -> &[String] {
        &[]
    }

    fn sample(&self, index: usize) -> Result<Sample, DataError> {
        self.loaded.fetch_add(1, Ordering::SeqCst);
        if self.fails_at == Some(index) {
            return Err(DataError::Decode { path: "broken.jpg".into(), reason: "bad".into() });
        }
        assert!(self.panics_at != Some(index), "index {index} is cursed");
        // Later images load faster, so that unordered workers would overtake one another.
        std::thread::sleep(Duration::from_micros(300 * (self.len - index).min(20) as u64));
        let image = RgbImage::from_pixel(8, 4, Rgb([index as u8, 2, 3]));
        let boxes_xyxy = vec![[0.0, 0.0, 4.0, 4.0]; index % 3];
        Ok(Sample { image_id: index as i64, image, labels: vec![5; index % 3], boxes_xyxy })
    }

    fn annotations(&self, index: usize) -> Result<Annotations, DataError> {
        let Sample { image_id, labels, boxes_xyxy, .. } = self.sample(index)?;
        Ok(Annotations { image_id, size: [8, 4], difficult: vec![false; labels.len()], labels, boxes_xyxy })
    }

    fn locate(&self, index: usize) -> String {
        format!("`file{index}.jpg`")
    }

    fn name(&self) -> String {
        "numbered".into()
    }

    fn describe(&self) -> String {
        self.name()
    }
}

fn numbered(len: usize) -> Numbered {
    Numbered { len, ..Numbered::default() }
}

fn config(batch_size: usize, workers: usize) -> LoaderConfig {
    LoaderConfig { batch_size, workers, ..LoaderConfig::default() }
}

fn loader(dataset: &Arc<Numbered>, config: LoaderConfig) -> Loader {
    Loader::new(Arc::clone(dataset) as Arc<dyn Dataset>, Arc::new(EvalTransforms { side: 4 }), config)
        .unwrap()
}

fn ids(batches: &[Batch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| batch.image_ids.clone()).collect()
}

fn whole(loader: &Loader, epoch: u64) -> Vec<Batch> {
    loader.epoch(epoch).collect::<Result<_, _>>().unwrap()
}

#[test]
fn batches_do_not_depend_on_the_number_of_workers() {
    let shapes = Arc::new(Shapes::new(Split::Train, 0, 21, 64).unwrap());
    let batches = |workers, prefetch| {
        let config =
            LoaderConfig { batch_size: 4, shuffle: true, seed: 9, workers, prefetch, drop_last: false };
        let transform = Arc::new(TrainTransforms::official(64));
        whole(&Loader::new(shapes.clone(), transform, config).unwrap(), 3)
    };
    let alone = batches(0, 0);
    assert_eq!(alone.len(), 6);
    for (workers, prefetch) in [(1, 0), (2, 4), (3, 1), (16, 100)] {
        assert_eq!(alone, batches(workers, prefetch), "{workers} workers, prefetch {prefetch}");
    }
}

#[test]
fn mosaics_and_sides_do_not_depend_on_the_number_of_workers() {
    let shapes = Arc::new(Shapes::new(Split::Train, 0, 30, 64).unwrap());
    let transform = TrainTransforms {
        mosaic: Some(Mosaic { probability: 0.5 }),
        multi_scale: Some(MultiScale::official(96)),
        ..TrainTransforms::official(96)
    };
    let loader = |workers| {
        let config = LoaderConfig { shuffle: true, seed: 4, ..config(3, workers) };
        Loader::new(shapes.clone(), Arc::new(transform.clone()), config).unwrap()
    };
    let alone = whole(&loader(0), 1);
    let sides: BTreeSet<u32> = alone.iter().map(|batch| batch.side).collect();
    assert_eq!(sides, BTreeSet::from([64, 96]), "of {:?}", MultiScale::official(96).sides);
    for workers in [1, 3] {
        assert_eq!(alone, whole(&loader(workers), 1), "{workers} workers");
    }
    // An epoch that goes on after an interruption draws the sides that it would have drawn.
    let rest: Vec<Batch> = loader(2).epoch_from(1, 4).collect::<Result<_, _>>().unwrap();
    assert_eq!(alone[4..], rest);
}

#[test]
fn an_epoch_gives_every_image_once_in_order() {
    let dataset = Arc::new(numbered(23));
    for workers in [0, 1, 4] {
        let loader = loader(&dataset, config(5, workers));
        let batches = whole(&loader, 0);
        assert_eq!((batches.len(), loader.batches_per_epoch()), (5, 5));
        assert_eq!(ids(&batches), (0..23).collect::<Vec<_>>());
        assert_eq!(batches[4].len(), 3);
    }
}

#[test]
fn shuffling_changes_with_epoch_and_seed_and_repeats() {
    let dataset = Arc::new(numbered(40));
    let order = |seed, epoch| {
        ids(&whole(&loader(&dataset, LoaderConfig { shuffle: true, seed, ..config(8, 2) }), epoch))
    };
    let first = order(1, 0);
    assert_eq!(first, order(1, 0));
    assert_ne!(first, order(1, 1));
    assert_ne!(first, order(2, 0));
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..40).collect::<Vec<_>>());
    assert_ne!(first, sorted);
}

#[test]
fn drop_last_leaves_out_what_does_not_fill_a_batch() {
    let dataset = Arc::new(numbered(23));
    let loader = loader(&dataset, LoaderConfig { drop_last: true, ..config(5, 2) });
    assert_eq!((whole(&loader, 0).len(), loader.batches_per_epoch()), (4, 4));
}

#[test]
fn an_error_takes_the_place_of_its_batch_and_ends_the_epoch() {
    for workers in [0, 1, 3] {
        let dataset = Arc::new(Numbered { fails_at: Some(7), ..numbered(30) });
        let results: Vec<_> = loader(&dataset, config(2, workers)).epoch(0).collect();
        assert_eq!(results.len(), 4, "{workers} workers");
        assert!(results[..3].iter().all(Result::is_ok));
        assert!(results[3].as_ref().unwrap_err().to_string().contains("broken.jpg"));
    }
}

#[test]
fn a_panic_becomes_an_error_with_the_file() {
    for workers in [0, 2] {
        let dataset = Arc::new(Numbered { panics_at: Some(3), ..numbered(8) });
        let fault = loader(&dataset, config(2, workers)).epoch(0).find_map(Result::err).unwrap();
        assert_eq!(fault.to_string(), "loading `file3.jpg` panicked: index 3 is cursed");
    }
}

/// A transform with a fault of its own.
#[no_retain]
struct Cursed;

impl Transform for Cursed {
    fn side(&self) -> u32 {
        4
    }

    fn append(&self, sample: Sample, _partners: Vec<Sample>, key: Key, batch: &mut Planes) -> Objects {
        assert!(sample.image_id != 5, "no fives");
        EvalTransforms { side: 4 }.append(sample, Vec::new(), key, batch)
    }
}

#[test]
fn a_panic_of_the_transform_becomes_an_error_with_the_file_too() {
    for workers in [0, 2] {
        let dataset = Arc::new(numbered(8));
        let loader = Loader::new(dataset, Arc::new(Cursed), config(2, workers)).unwrap();
        let results: Vec<_> = loader.epoch(0).collect();
        assert_eq!(results.len(), 3, "{workers} workers: two batches and the fault");
        assert_eq!(results[2].as_ref().unwrap_err().to_string(), "loading `file5.jpg` panicked: no fives");
    }
}

#[test]
fn dropping_an_epoch_ends_its_workers() {
    let dataset = Arc::new(numbered(10_000));
    let loader = loader(&dataset, config(4, 3));
    let mut epoch = loader.epoch(0);
    epoch.next().unwrap().unwrap();
    drop(epoch);
    // The workers are joined: nobody loads any more.
    let loaded = dataset.loaded.load(Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(40));
    assert_eq!(dataset.loaded.load(Ordering::SeqCst), loaded);
    drop(loader);
    assert_eq!(Arc::strong_count(&dataset), 1, "no thread holds the data set");
}

#[test]
fn workers_run_ahead_only_as_far_as_prefetch_allows() {
    let dataset = Arc::new(numbered(500));
    let loader = loader(&dataset, LoaderConfig { prefetch: 4, ..config(1, 2) });
    let mut epoch = loader.epoch(0);
    epoch.next().unwrap().unwrap();
    // One was taken, four wait, each worker holds one that finds no room.
    let most = 1 + 4 + 2;
    let started = Instant::now();
    while dataset.loaded.load(Ordering::SeqCst) < most && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(dataset.loaded.load(Ordering::SeqCst), most);
}

#[test]
fn refuses_settings_that_give_no_batch() {
    let make = |len, config| {
        let dataset: Arc<dyn Dataset> = Arc::new(numbered(len));
        Loader::new(dataset, Arc::new(EvalTransforms { side: 4 }), config)
            .err()
            .map(|fault| fault.to_string())
    };
    assert_eq!(make(3, config(0, 1)).unwrap(), "`batch_size` is 0, expected at least 1");
    assert_eq!(make(0, config(1, 1)).unwrap(), "`images in the data set` is 0, expected at least 1");
    let fault = make(3, LoaderConfig { drop_last: true, ..config(4, 1) }).unwrap();
    assert_eq!(fault, "`batch_size` is 4, expected at most the 3 images of numbered, or no `drop_last`");
    assert_eq!(make(3, LoaderConfig { drop_last: true, ..config(3, 1) }), None);
}

#[test]
fn a_batch_becomes_tensors() {
    let dataset = Arc::new(numbered(6));
    let batch = &whole(&loader(&dataset, config(3, 0)), 0)[1];
    assert_eq!((batch.orig_sizes.clone(), batch.side), (vec![[8, 4]; 3], 4));
    let images = batch.images(Device::Cpu);
    assert_eq!((images.size(), images.kind()), (vec![3, 3, 4, 4], Kind::Float));
    for (image, id) in [3.0, 4.0, 5.0].into_iter().enumerate() {
        for (channel, level) in [id, 2.0, 3.0].into_iter().enumerate() {
            let value = images.double_value(&[image as i64, channel as i64, 3, 2]);
            assert!((value - level / 255.0).abs() < 1e-7, "{value} instead of {level} levels");
        }
    }
    let targets = batch.targets(Device::Cpu);
    assert_eq!((targets.counts.as_slice(), targets.labels.size()), ([0, 1, 2].as_slice(), vec![3]));
    let boxes = Vec::<f32>::try_from(targets.boxes_cxcywh.view(-1)).unwrap();
    assert_eq!(boxes, [[0.25, 0.5, 0.5, 1.0]; 3].concat());
}

#[test]
fn a_batch_without_objects_has_empty_targets() {
    let dataset = Arc::new(numbered(1));
    let targets = whole(&loader(&dataset, config(1, 0)), 0)[0].targets(Device::Cpu);
    assert_eq!((targets.labels.size(), targets.boxes_cxcywh.size()), (vec![0], vec![0, 4]));
    assert_eq!((targets.labels.kind(), targets.counts), (Kind::Int64, vec![0]));
}
