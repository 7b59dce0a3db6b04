//! The published recipes are the official configurations, key by key.

mod support;

use support::golden;
use trainer::config::{
    Augmentation, DataSource, OfficialConfig, PRESETS, Preset, TrainConfig, TrainConfigError,
};

fn official(preset: &Preset) -> OfficialConfig {
    OfficialConfig::from_resolved(golden::json(&format!("presets/config_{}.json", preset.name)))
}

#[test]
fn every_recipe_is_the_official_configuration() {
    for preset in &PRESETS {
        let official = official(preset).train_config(DataSource::SHAPES).expect(preset.name);
        assert_eq!(preset.config(DataSource::SHAPES), official, "{}", preset.name);
    }
}

#[test]
fn what_every_recipe_says_about_images_is_official() {
    for preset in &PRESETS {
        let data = official(preset).data().expect(preset.name);
        assert_eq!(preset.batch_size, data.batch_size, "{}", preset.name);
        assert_eq!(Some(preset.stop_epoch), data.augmentation_stop_epoch, "{}", preset.name);
        assert_eq!((data.side, data.augmentation, data.val_batch_size), (640, Augmentation::Official, 32));
        assert_eq!(preset.num_classes == 80, data.remap_mscoco_category, "{}", preset.name);
        if preset.multi_scale {
            let sides = [480, 512, 544, 576, 608, 640, 640, 640, 672, 704, 736, 768, 800];
            assert_eq!((&data.scales[..], data.scales_stop_epoch), (&sides[..], Some(preset.stop_epoch)));
        } else {
            assert!(data.scales.is_empty(), "{}", preset.name);
        }
    }
}

#[test]
fn recipes_that_start_from_another_name_it() {
    for preset in &PRESETS {
        let weights = official(preset).initial_weights();
        let tuning = weights.iter().find(|(key, _)| key == "tuning").map(|(_, value)| value);
        assert_eq!(preset.tuned_from.is_some(), tuning.is_some(), "{}", preset.name);
        if let (Some(name), Some(file)) = (preset.tuned_from, tuning) {
            // The files of some sizes bear the name of an earlier recipe of the same network.
            let network = Preset::find(name).expect("a preset").short;
            assert!(file.contains(network), "{}: {file}", preset.name);
        }
        assert!(weights.iter().any(|(key, value)| key.ends_with(".pretrained") && value == "true"));
    }
}

#[test]
fn a_recipe_passes_its_checks_and_survives_toml() {
    for preset in &PRESETS {
        let config = preset.config(DataSource::SHAPES);
        config.check().expect(preset.name);
        config.model.validate().expect(preset.name);
        let text = toml::to_string_pretty(&config).expect("TOML");
        assert_eq!(toml::from_str::<TrainConfig>(&text).expect("a configuration"), config);
    }
}

#[test]
fn names_are_unique_and_known_in_full_and_short() {
    for preset in &PRESETS {
        for name in [preset.name, preset.short] {
            assert_eq!(Preset::find(name).expect("a preset"), preset);
        }
    }
}

#[test]
fn a_typo_is_answered_with_the_nearest_name() {
    for (typo, nearest) in [
        ("rtdetrv2_r18", "rtdetrv2_r18vd"),
        ("rtdetrv2_r50dv_m", "rtdetrv2_r50vd_m"),
        ("rtdetrv2_hgnetv2_xl", "rtdetrv2_hgnetv2_x"),
        ("rtdetrv2_r50vd_6x_voc", "rtdetrv2_r50vd_6x_coco"),
    ] {
        let error = Preset::find(typo).expect_err("a typo");
        assert!(
            matches!(&error, TrainConfigError::UnknownPreset { nearest: found, .. } if *found == nearest),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.contains(typo) && text.contains("did you mean") && text.contains("rtdetrv2_r101vd"),
            "{text}"
        );
    }
}
