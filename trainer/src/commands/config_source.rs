//! The configuration that a run starts from, before the flags.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use guard_core::no_retain;
use trainer::config::{DataSource, OfficialConfig, Preset, TrainConfig};

use super::data_source;

/// Where the configuration comes from.
#[derive(clap::Args)]
#[no_retain]
pub struct ConfigArgs {
    /// Start from a published recipe, such as rtdetrv2_r18vd; `trainer presets` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    preset: Option<String>,
    /// Start from a configuration; the flags still win
    ///
    /// A `.toml` file is the config.toml of another run, or states what differs from --preset or from the recipe that its
    /// own key `preset` names. A `.yml` file is an official RT-DETR v2 configuration with the files that it includes.
    #[arg(long, short = 'c', value_name = "FILE", conflicts_with = "resume")]
    config: Option<PathBuf>,
    /// Change keys of an official configuration, such as RTDETRTransformerv2.num_layers=4
    #[arg(long, short = 'u', value_name = "KEY=VALUE", num_args = 1.., requires = "config")]
    update: Vec<String>,
}

impl ConfigArgs {
    /// The configuration; `data` is what `--data` says.
    pub fn resolve(&self, data: Option<&str>) -> anyhow::Result<TrainConfig> {
        let source = data.map(data_source::source).transpose()?;
        let preset = self.preset.as_deref().map(Preset::find).transpose()?;
        let preset = preset.map(|preset| preset.config(source.clone().unwrap_or(DataSource::SHAPES)));
        let mut config = match (&self.config, preset) {
            (Some(file), preset) if is_yaml(file) => {
                ensure!(preset.is_none(), "--preset and the official {} exclude each other", file.display());
                self.official(file, source.clone())?
            }
            (Some(file), preset) => {
                ensure!(self.update.is_empty(), "-u changes official .yml files, {} is none", file.display());
                TrainConfig::read_over(file, preset.as_ref())?
            }
            (None, Some(preset)) => preset,
            (None, None) => data_source::default_config(data.unwrap_or("shapes"))?,
        };
        if let Some(source) = source {
            config.data.source = source;
        }
        Ok(config)
    }

    fn official(&self, file: &Path, source: Option<DataSource>) -> anyhow::Result<TrainConfig> {
        let official = OfficialConfig::read(file, &self.update)?;
        let Some(source) = source else {
            bail!("{}: say where its images are with --data", file.display());
        };
        for (key, value) in official.initial_weights() {
            eprintln!(
                "note: {}: {key} is {value}; name the file with --weights to start from it",
                file.display()
            );
        }
        Ok(official.train_config(source)?)
    }
}

fn is_yaml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}
