//! The transforms against the official code (Pillow and torchvision), and their draws.

use image::{Rgb, RgbImage};
use rand_pcg::Pcg64;
use safetensors::SafeTensors;
use serde_json::Value;
use tch::{Kind, Tensor};
use trainer::data::transforms::{
    Canvas, Crop, Distortion, IouCrop, Mosaic, MultiScale, Padding, ZoomOut, to_cxcywh,
};
use trainer::data::{EvalTransforms, Key, Planes, Sample, TrainTransforms, Transform};

/// The official results, read once a test.
struct Fixture {
    bytes: Vec<u8>,
    notes: Value,
}

impl Fixture {
    fn read() -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/transforms");
        let bytes = std::fs::read(format!("{folder}/transforms.safetensors")).unwrap();
        let notes = std::fs::read(format!("{folder}/transforms.json")).unwrap();
        Self { bytes, notes: serde_json::from_slice(&notes).unwrap() }
    }

    fn bytes(&self, name: &str) -> (Vec<usize>, Vec<u8>) {
        let tensors = SafeTensors::deserialize(&self.bytes).unwrap();
        let view = tensors.tensor(name).unwrap();
        (view.shape().to_vec(), view.data().to_vec())
    }

    fn image(&self, name: &str) -> RgbImage {
        let (shape, data) = self.bytes(name);
        RgbImage::from_raw(shape[1] as u32, shape[0] as u32, data).unwrap()
    }

    fn floats(&self, name: &str) -> Vec<f32> {
        let (_, data) = self.bytes(name);
        data.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    fn boxes(&self, name: &str) -> Vec<[f32; 4]> {
        self.floats(name).chunks_exact(4).map(|xyxy| xyxy.try_into().unwrap()).collect()
    }

    fn sample(&self) -> Sample {
        let (image, boxes_xyxy) = (self.image("image_hwc"), self.boxes("boxes"));
        Sample { image_id: 0, image, labels: vec![1, 4, 2, 0, 3], boxes_xyxy }
    }
}

fn assert_close(actual: &[[f32; 4]], expected: &[[f32; 4]], tolerance: f32, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (a, e) in actual.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - e).abs() <= tolerance, "{what}: {a} instead of {e}");
    }
}

fn most_different(actual: &RgbImage, expected: &RgbImage) -> u8 {
    assert_eq!(actual.dimensions(), expected.dimensions());
    actual.as_raw().iter().zip(expected.as_raw()).map(|(a, e)| a.abs_diff(*e)).max().unwrap()
}

#[test]
fn resize_agrees_with_pillow_within_one_level() {
    let fixture = Fixture::read();
    for [height, width] in [[64, 64], [20, 30], [37, 80], [100, 53], [16, 16]] {
        let sample = Canvas::new(fixture.sample()).render([width, height]);
        let expected = fixture.image(&format!("resize_{height}x{width}"));
        let difference = most_different(&sample.image, &expected);
        assert!(difference <= 1, "{width}x{height} differs by {difference} levels");
    }
    let sample = Canvas::new(fixture.sample()).render([64, 64]);
    assert_close(&sample.boxes_xyxy, &fixture.boxes("boxes_resize_64x64"), 1e-5, "resized boxes");
}

#[test]
fn changes_of_colour_agree_with_pillow_to_the_level() {
    let fixture = Fixture::read();
    let none = Distortion::default();
    let cases = [
        ("brightness_0.875", Distortion { brightness: Some(0.875), ..none }),
        ("brightness_1.1", Distortion { brightness: Some(1.1), ..none }),
        ("contrast_0.5", Distortion { contrast: Some(0.5), ..none }),
        ("contrast_1.37", Distortion { contrast: Some(1.37), contrast_before: true, ..none }),
        ("saturation_0.5", Distortion { saturation: Some(0.5), ..none }),
        ("saturation_1.41", Distortion { saturation: Some(1.41), ..none }),
        ("hue_-0.05", Distortion { hue: Some(-0.05), ..none }),
        ("hue_0.037", Distortion { hue: Some(0.037), ..none }),
        ("permute_2_0_1", Distortion { channels: Some([2, 0, 1]), ..none }),
    ];
    for (name, distortion) in cases {
        let mut image = fixture.image("image_hwc");
        distortion.apply(&mut image);
        assert_eq!(most_different(&image, &fixture.image(name)), 0, "{name}");
    }
}

type Change<'a> = &'a dyn Fn(&mut Canvas);

#[test]
fn flip_crop_and_pad_agree_with_torchvision() {
    let fixture = Fixture::read();
    let window = Crop { left: 7, top: 5, width: 30, height: 20 };
    let padding = Padding { left: 3, top: 4, right: 5, bottom: 6 };
    let changes: [(&str, Change); 3] = [
        ("hflip", &|canvas| canvas.flip_horizontal()),
        ("crop_t5_l7_h20_w30", &|canvas| canvas.crop(window)),
        ("pad_l3_t4_r5_b6", &|canvas| canvas.pad(padding)),
    ];
    for (name, change) in changes {
        let mut canvas = Canvas::new(fixture.sample());
        change(&mut canvas);
        let size = canvas.size();
        let sample = canvas.render(size);
        assert_eq!(sample.image, fixture.image(name), "{name}");
        assert_close(&sample.boxes_xyxy, &fixture.boxes(&format!("boxes_{name}")), 0.0, name);
    }
}

/// Whatever order they come in, the numbers that move stand for the pixels that would.
#[test]
fn changes_on_a_canvas_are_those_of_the_rendered_images() {
    let window = Crop { left: 4, top: 9, width: 41, height: 17 };
    let padding = Padding { left: 2, top: 11, right: 8, bottom: 1 };
    let changes: [Change; 3] =
        [&|canvas| canvas.flip_horizontal(), &|canvas| canvas.crop(window), &|canvas| canvas.pad(padding)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut at_once = Canvas::new(Fixture::read().sample());
        let mut rendered = Fixture::read().sample();
        for change in order {
            changes[change](&mut at_once);
            let mut canvas = Canvas::new(rendered);
            changes[change](&mut canvas);
            let size = canvas.size();
            rendered = canvas.render(size);
        }
        let size = at_once.size();
        let at_once = at_once.render(size);
        assert_eq!(at_once.image.dimensions(), rendered.image.dimensions(), "{order:?}");
        assert!(at_once.image == rendered.image, "{order:?}: other pixels");
        assert_close(&at_once.boxes_xyxy, &rendered.boxes_xyxy, 0.0, &format!("{order:?}"));
    }
}

#[test]
fn sanitise_keeps_what_the_official_code_keeps() {
    let fixture = Fixture::read();
    let mut canvas = Canvas::new(fixture.sample());
    canvas.sanitise();
    let expected: Vec<i64> = serde_json::from_value(fixture.notes["sanitize"]["labels"].clone()).unwrap();
    assert_eq!(canvas.labels(), expected);
    assert_eq!(canvas.boxes_xyxy().len(), expected.len());
}

#[test]
fn boxes_are_normalised_as_in_the_official_code() {
    let fixture = Fixture::read();
    let converted: Vec<_> =
        fixture.sample().boxes_xyxy.into_iter().map(|xyxy| to_cxcywh(xyxy, [53, 37])).collect();
    assert_close(&converted, &fixture.boxes("boxes_norm_cxcywh"), 1e-6, "cxcywh");
}

/// The changes of colour that the official pipeline drew in one run.
fn drawn_distortion(run: &Value) -> Distortion {
    let params = run["params"].as_array().unwrap();
    let Some(step) = params.iter().find(|step| step[0] == "RandomPhotometricDistort") else {
        return Distortion::default();
    };
    let factor = |key: &str| step[1][key].as_f64().map(|factor| factor as f32);
    Distortion {
        brightness: factor("brightness_factor"),
        contrast: factor("contrast_factor"),
        saturation: factor("saturation_factor"),
        hue: factor("hue_factor"),
        contrast_before: step[1]["contrast_before"].as_bool().unwrap(),
        channels: serde_json::from_value(step[1]["channel_permutation"].clone()).unwrap(),
    }
}

/// Applies what the official pipeline drew in one run.
fn replay(sample: Sample, run: &Value) -> Sample {
    let mut canvas = Canvas::distorted(sample, drawn_distortion(run));
    for step in run["params"].as_array().unwrap() {
        let (name, drawn) = (step[0].as_str().unwrap(), &step[1]);
        let pixels = |value: &Value| value.as_u64().unwrap() as u32;
        match name {
            "RandomZoomOut" => {
                let [left, top, right, bottom] = std::array::from_fn(|side| pixels(&drawn["padding"][side]));
                canvas.pad(Padding { left, top, right, bottom });
            }
            "RandomIoUCrop" if drawn.get("top").is_some() => {
                let [left, top, width, height] =
                    ["left", "top", "width", "height"].map(|key| pixels(&drawn[key]));
                canvas.crop_around_objects(Crop { left, top, width, height });
            }
            "RandomPhotometricDistort" | "RandomIoUCrop" => {}
            other => panic!("unknown operation {other}"),
        }
    }
    canvas.sanitise();
    if run["flipped"].as_bool().unwrap() {
        canvas.flip_horizontal();
    }
    let mut resized = Canvas::new(canvas.render([64, 64]));
    resized.sanitise();
    resized.render([64, 64])
}

#[test]
fn the_whole_pipeline_agrees_with_the_official_runs() {
    let fixture = Fixture::read();
    let runs = fixture.notes["pipeline"].as_array().unwrap();
    assert_eq!(runs.len(), 14);
    for (number, run) in runs.iter().enumerate() {
        let sample = replay(fixture.sample(), run);
        let labels: Vec<i64> = serde_json::from_value(run["labels"].clone()).unwrap();
        assert_eq!(sample.labels, labels, "run {number}");
        let boxes: Vec<_> = sample.boxes_xyxy.iter().map(|xyxy| to_cxcywh(*xyxy, [64, 64])).collect();
        assert_close(&boxes, &fixture.boxes(&format!("pipe.{number}.boxes")), 1e-5, &format!("run {number}"));
        assert_subsample(&sample.image, &fixture.floats(&format!("pipe.{number}.image_sub")), number);
    }
}

/// Compares every ninth row and seventh column of each plane.
fn assert_subsample(image: &RgbImage, expected: &[f32], number: usize) {
    let places = (0..3).flat_map(|channel| {
        (0..64).step_by(9).flat_map(move |row| (0..64).step_by(7).map(move |column| (channel, row, column)))
    });
    assert_eq!(places.clone().count(), expected.len());
    for ((channel, row, column), expected) in places.zip(expected) {
        let actual = f32::from(image.get_pixel(column, row).0[channel]);
        let difference = (actual - expected * 255.0).abs();
        assert!(difference < 1.01, "run {number}, channel {channel}, {column},{row}: {difference} levels");
    }
}

/// One white rectangle on grey, the box around it.
fn rectangle_sample() -> Sample {
    let xyxy = [40.0, 30.0, 90.0, 80.0];
    let image = RgbImage::from_fn(160, 120, |x, y| {
        let inside = (40..90).contains(&x) && (30..80).contains(&y);
        Rgb([if inside { 255 } else { 90 }; 3])
    });
    Sample { image_id: 7, image, labels: vec![3], boxes_xyxy: vec![xyxy] }
}

#[test]
fn boxes_stay_on_their_objects() {
    let transforms = TrainTransforms { photometric: None, ..TrainTransforms::official(128) };
    let mut kept = 0;
    for index in 0..300 {
        let example = transforms.apply(rectangle_sample(), Key { seed: 1, epoch: 0, index });
        assert_eq!((example.side, example.orig_size, example.image_id), (128, [160, 120], 7));
        let Some([x, y, width, height]) = example.boxes_cxcywh.first().copied() else { continue };
        kept += 1;
        // Bright pixels of the first plane, and the box that holds them.
        let bright: Vec<_> = (0..128 * 128).filter(|&pixel| example.pixels[pixel] > 172).collect();
        let columns = bright.iter().map(|pixel| (pixel % 128) as f32);
        let rows = bright.iter().map(|pixel| (pixel / 128) as f32);
        let seen = [
            columns.clone().fold(f32::MAX, f32::min),
            rows.clone().fold(f32::MAX, f32::min),
            columns.fold(f32::MIN, f32::max) + 1.0,
            rows.fold(f32::MIN, f32::max) + 1.0,
        ];
        let drawn =
            [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0].map(|edge| edge * 128.0);
        assert_close(&[seen], &[drawn], 1.0, &format!("draw {index}"));
    }
    assert!(kept > 290, "{kept} of 300 boxes kept");
}

#[test]
fn equal_keys_give_equal_examples_and_others_do_not() {
    let transforms = TrainTransforms::official(64);
    let key = Key { seed: 3, epoch: 2, index: 11 };
    let example = transforms.apply(rectangle_sample(), key);
    assert_eq!(example, transforms.apply(rectangle_sample(), key));
    for other in [Key { seed: 4, ..key }, Key { epoch: 3, ..key }, Key { index: 12, ..key }] {
        assert_ne!(example.pixels, transforms.apply(rectangle_sample(), other).pixels, "{other:?}");
    }
}

#[test]
fn strong_augmentation_stops_and_flips_go_on() {
    let transforms = TrainTransforms { strong_until: Some(5), ..TrainTransforms::official(160) };
    let plain = EvalTransforms { side: 160 };
    let mirrored = |sample: Sample| {
        let mut canvas = Canvas::new(sample);
        canvas.flip_horizontal();
        canvas.render([160, 120])
    };
    let key = Key { seed: 0, epoch: 5, index: 0 };
    let straight = plain.apply(rectangle_sample(), key).pixels;
    let turned = plain.apply(mirrored(rectangle_sample()), key).pixels;
    let mut flips = 0;
    for index in 0..100 {
        let late = transforms.apply(rectangle_sample(), Key { index, ..key }).pixels;
        flips += usize::from(late == turned);
        assert!(late == straight || late == turned, "draw {index} is neither plain nor flipped");
    }
    assert!((35..=65).contains(&flips), "{flips} flips of 100");
    let early =
        (0..20).map(|index| transforms.apply(rectangle_sample(), Key { epoch: 4, index, ..key }).pixels);
    assert!(early.filter(|pixels| *pixels != straight && *pixels != turned).count() > 15);
}

#[test]
fn zoom_out_and_crop_draw_within_their_bounds() {
    let mut rng = Pcg64::new(1, 2);
    let (mut padded, mut cropped) = (0, 0);
    let boxes = rectangle_sample().boxes_xyxy;
    for _ in 0..500 {
        if let Some(Padding { left, top, right, bottom }) = ZoomOut::default().draw([160, 120], &mut rng) {
            padded += 1;
            assert!(left + right <= 480 && top + bottom <= 360);
        }
        if let Some(Crop { left, top, width, height }) = IouCrop::default().draw([160, 120], &boxes, &mut rng)
        {
            cropped += 1;
            assert!(left + width <= 160 && top + height <= 120 && width >= 48 && height >= 36);
            assert!((0.5..=2.0).contains(&(width as f32 / height as f32)));
            assert!(left < 65 && 65 < left + width && top < 55 && 55 < top + height, "the centre is inside");
        }
    }
    assert!((200..300).contains(&padded), "{padded} zoom-outs of 500 at probability 0.5");
    assert!(
        (280..400).contains(&cropped),
        "{cropped} crops of 500 at probability 0.8, some drawn as unchanged"
    );
}

#[test]
fn an_image_without_objects_passes() {
    let empty = Sample { labels: vec![], boxes_xyxy: vec![], ..rectangle_sample() };
    for index in 0..50 {
        let example = TrainTransforms::official(32).apply(empty.clone(), Key { seed: 0, epoch: 0, index });
        assert_eq!((example.pixels.len(), example.labels.len()), (3 * 32 * 32, 0));
    }
}

/// A picture without any symmetry.
fn noise_sample(width: u32, height: u32) -> Sample {
    let image = RgbImage::from_fn(width, height, |x, y| {
        let mixed = (x * 7919 + y * 104_729 + 13).wrapping_mul(2_654_435_761);
        Rgb([(mixed >> 8) as u8, (mixed >> 16) as u8, (mixed >> 24) as u8])
    });
    Sample { image_id: 1, image, labels: vec![0], boxes_xyxy: vec![[2.0, 3.0, 30.0, 40.0]] }
}

#[test]
fn another_side_of_the_batch_takes_the_pixels_that_torch_takes() {
    for (number, side) in [32, 64, 96, 100, 128, 160, 224].into_iter().enumerate() {
        // Zoomed out or not, mirrored or not.
        let transforms = TrainTransforms { iou_crop: None, ..TrainTransforms::official(96) };
        for index in 0..8 {
            let key = Key { seed: 2, epoch: number as u64, index };
            let whole = transforms.apply(noise_sample(70, 50), key);
            let mut planes = Planes::with_capacity(side, 1);
            let objects = transforms.append(noise_sample(70, 50), Vec::new(), key, &mut planes);
            assert_eq!((objects.labels, objects.boxes_cxcywh), (whole.labels, whole.boxes_cxcywh));
            let drawn = Tensor::from_slice(&whole.pixels).view([1, 3, 96, 96]).to_kind(Kind::Float);
            let size = [i64::from(side); 2];
            let expected = drawn.upsample_nearest2d(size, None, None).to_kind(Kind::Uint8);
            let expected = Vec::<u8>::try_from(expected.view(-1)).unwrap();
            assert!(planes.into_pixels() == expected, "side {side}, draw {index}");
        }
    }
}

#[test]
fn a_mosaic_holds_the_objects_of_its_partners() {
    let transforms =
        TrainTransforms { mosaic: Some(Mosaic { probability: 1.0 }), ..TrainTransforms::official(64) };
    let mut seen = [0; 4];
    for index in 0..60 {
        let key = Key { seed: 0, epoch: 0, index };
        assert!(transforms.partners(key, 9).iter().all(|&partner| partner < 9));
        let member = |label| Sample { labels: vec![label], ..rectangle_sample() };
        let mut planes = Planes::with_capacity(64, 1);
        let objects = transforms.append(member(0), (1..4).map(member).collect(), key, &mut planes);
        assert_eq!((planes.into_pixels().len(), objects.orig_size), (3 * 64 * 64, [160, 120]));
        objects.labels.iter().for_each(|&label| seen[label as usize] += 1);
        for [x, y, width, height] in objects.boxes_cxcywh {
            let edges = [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0];
            assert!(edges.iter().all(|edge| (-1e-6..=1.0 + 1e-6).contains(edge)), "{edges:?}");
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
    assert!(TrainTransforms::official(64).partners(Key { seed: 0, epoch: 0, index: 0 }, 9).is_empty());
}

#[test]
fn multi_scale_changes_the_side_of_a_batch_until_it_stops() {
    let scale = MultiScale { until: Some(2), ..MultiScale::official(128) };
    let transforms = TrainTransforms { multi_scale: Some(scale), ..TrainTransforms::official(128) };
    let sides =
        |epoch| (0..40).map(|index| transforms.batch_side(Key { seed: 0, epoch, index })).collect::<Vec<_>>();
    assert!([96, 128, 160].iter().all(|side| sides(1).contains(side)));
    assert_eq!(sides(2), [128; 40]);
    let batch_side = EvalTransforms { side: 77 }.batch_side(Key { seed: 0, epoch: 0, index: 0 });
    assert_eq!(batch_side, 77);
}

#[test]
fn names_settings_out_of_range() {
    let official = TrainTransforms::official(64);
    assert!(official.check().is_ok() && TrainTransforms::flips_only(64).check().is_ok());
    let cases = [
        (TrainTransforms { side: 0, ..official.clone() }, "`side` is 0"),
        (TrainTransforms { flip: f64::NAN, ..official.clone() }, "`flip` is NaN"),
        (
            TrainTransforms { iou_crop: Some(IouCrop { probability: 1.5 }), ..official.clone() },
            "`iou_crop.probability` is 1.5",
        ),
        (
            TrainTransforms {
                zoom_out: Some(ZoomOut { largest: 0.5, probability: 0.5 }),
                ..official.clone()
            },
            "`zoom_out.largest` is 0.5",
        ),
        (
            TrainTransforms { mosaic: Some(Mosaic { probability: -0.5 }), ..official.clone() },
            "`mosaic.probability` is -0.5",
        ),
        (
            TrainTransforms { multi_scale: Some(MultiScale { sides: vec![], until: None }), ..official },
            "`multi_scale.sides` is empty",
        ),
    ];
    for (transforms, message) in cases {
        let fault = transforms.check().expect_err(message).to_string();
        assert!(fault.starts_with(message), "{fault}");
    }
}
