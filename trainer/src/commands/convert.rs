//! `trainer convert`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{bail, ensure};
use guard_core::no_retain;
use tch::Device;
use trainer::{
    config::{DataSource, Preset, TrainConfig},
    eval::mscoco,
    train::{
        checkpoint::{Checkpoint, CheckpointMeta},
        ema,
    },
    weights::{
        Contents, Format, StateDict, WeightsFile, deploy, infer_network, load_exact, nearest_preset,
        to_hugging_face, write_hugging_face, write_state,
    },
};

/// Convert weights between this trainer, the official code and Hugging Face.
///
/// IN may be an official .pth (its averaged weights are taken; nothing in the pickle is executed), safetensors under the
/// official keys, a Hugging Face RTDetrV2ForObjectDetection (file or folder), a backbone alone, or a checkpoint or run of
/// this trainer. What it is, its content decides.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[no_retain]
pub struct Args {
    /// The weights to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The .safetensors to write; with --to huggingface also a folder
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The form to write
    #[arg(long, value_enum, default_value_t = Target::Trainer)]
    to: Target,
    #[command(flatten)]
    network: NetworkArgs,
    /// Class names in the order of the logits
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    classes: Option<Vec<String>>,
    /// Fold each RepVGG block into one convolution, for evaluation
    #[arg(long)]
    deploy: bool,
    /// Replace OUT when it is there
    #[arg(long)]
    overwrite: bool,
}

/// Which network the weights belong to, where shapes do not tell.
#[derive(clap::Args)]
#[no_retain]
pub struct NetworkArgs {
    /// The published network that the weights are of [default: found by their shapes]
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// The config.toml of the network that the weights are of
    #[arg(long, short = 'c', value_name = "FILE", conflicts_with = "preset")]
    config: Option<PathBuf>,
}

/// The form to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[no_retain]
enum Target {
    /// A checkpoint of this trainer
    Trainer,
    /// Safetensors under the keys of the official state dict
    Official,
    /// Hugging Face RTDetrV2ForObjectDetection
    Huggingface,
}

const EXAMPLES: &str = "\
Examples:
  trainer convert rtdetrv2_r18vd_120e_coco.pth r18.safetensors
  trainer convert runs/shapes hub --to huggingface           model.safetensors and config.json in hub/
  trainer convert hub/ r50.safetensors --to official
  trainer convert best.safetensors fast.safetensors --deploy";

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    check_output(&args)?;
    let file = WeightsFile::read(&args.input)?;
    file.notes.iter().for_each(|note| eprintln!("note: {note}"));
    if file.contents == Contents::Backbone {
        return convert_backbone(&args, &file);
    }
    file.expect_network()?;
    let Network { mut config, origin } = args.network.resolve(&file)?;
    let (store, _) = ema::build(&config.model, Device::Cpu)?;
    load_exact(&file.state, &store, &origin)?;
    let mut state = StateDict::of_store(&store, &args.input);
    if args.deploy && !config.model.encoder.deploy {
        state = deploy::fold(&state)?;
        config.model.encoder.deploy = true;
    }
    let classes = class_names(&args, &file, config.model.num_classes)?;
    let meta = CheckpointMeta { config, classes, ..file.meta.clone().unwrap_or_else(fresh_meta) };
    write(&args, &state, &meta)?;
    println!(
        "{}: {} tensors, {} classes, network {origin}",
        args.output.display(),
        state.len(),
        meta.classes.len()
    );
    Ok(ExitCode::SUCCESS)
}

fn check_output(args: &Args) -> anyhow::Result<()> {
    let out = args.output.display();
    let safetensors = args.output.extension().is_some_and(|e| e == "safetensors");
    let folder = args.to == Target::Huggingface && args.output.extension().is_none();
    ensure!(safetensors || folder, "{out}: only safetensors are written; let the name end in .safetensors");
    let taken = args.output.is_file() || args.output.join("model.safetensors").exists();
    ensure!(args.overwrite || !taken, "{out} is there already; pick another name, or add --overwrite");
    let same = |path: &Path| path.canonicalize().ok();
    let onto_itself = same(&args.input).is_some_and(|input| same(&args.output) == Some(input));
    ensure!(!onto_itself, "{out} is the input itself; pick another name");
    Ok(())
}

fn convert_backbone(args: &Args, file: &WeightsFile) -> anyhow::Result<ExitCode> {
    let out = args.output.display();
    if args.to == Target::Huggingface || args.deploy {
        bail!("{}: a backbone alone, which is written under the official keys only", args.input.display());
    }
    write_state(&args.output, &file.state)?;
    println!("{out}: {} tensors of a backbone; train on it with --weights {out}", file.state.len());
    Ok(ExitCode::SUCCESS)
}

fn write(args: &Args, state: &StateDict, meta: &CheckpointMeta) -> anyhow::Result<()> {
    let network = &meta.config.model;
    match args.to {
        Target::Trainer => {
            let mut checkpoint = Checkpoint::new(meta.clone());
            checkpoint.put("", state.iter().map(|(name, tensor)| (name.to_owned(), tensor)));
            checkpoint.save(&args.output)?;
        }
        Target::Official => write_state(&args.output, state)?,
        Target::Huggingface if args.output.extension().is_none() => {
            write_hugging_face(&args.output, state, network, &meta.classes)?;
        }
        Target::Huggingface => {
            write_state(&args.output, &to_hugging_face(state, network.decoder.eval_layer())?)?;
        }
    }
    Ok(())
}

/// The facts of weights that no run here has trained.
fn fresh_meta() -> CheckpointMeta {
    CheckpointMeta {
        counters: Default::default(),
        ema_updates: 0,
        classes: Vec::new(),
        config: TrainConfig::shapes(),
    }
}

fn class_names(args: &Args, file: &WeightsFile, num_classes: i64) -> anyhow::Result<Vec<String>> {
    if let Some(classes) = &args.classes {
        let given = classes.len();
        ensure!(
            given as i64 == num_classes,
            "--classes names {given} classes, the weights have {num_classes}"
        );
        return Ok(classes.clone());
    }
    let own = file.meta.as_ref().map(|meta| meta.classes.clone());
    let own = own.or_else(|| file.config_json.as_ref().and_then(|config| config.classes(num_classes)));
    Ok(own.unwrap_or_else(|| match num_classes {
        80 => mscoco::CLASS_NAMES.map(str::to_owned).to_vec(),
        _ => {
            eprintln!("note: the weights do not name their {num_classes} classes; give them with --classes");
            (0..num_classes).map(|i| format!("class {i}")).collect()
        }
    }))
}

/// A network, and where it is known from.
#[no_retain]
pub struct Network {
    /// Its configuration, with the recipe that it was probably trained by.
    pub config: TrainConfig,
    /// Where it is known from.
    pub origin: String,
}

impl NetworkArgs {
    /// What the flags, the file or the shapes of its tensors say.
    pub fn resolve(&self, file: &WeightsFile) -> anyhow::Result<Network> {
        if let Some(name) = &self.preset {
            let preset = Preset::find(name)?;
            let mut config = preset.config(DataSource::SHAPES);
            config.model.num_classes = infer_network(&file.state)?.num_classes;
            return Ok(Network { config, origin: preset.short.to_owned() });
        }
        if let Some(path) = &self.config {
            return Ok(Network { config: TrainConfig::read(path)?, origin: path.display().to_string() });
        }
        if let Some(meta) = &file.meta {
            return Ok(Network { config: meta.config.clone(), origin: "of the checkpoint".to_owned() });
        }
        inferred(file)
    }
}

fn inferred(file: &WeightsFile) -> anyhow::Result<Network> {
    let mut network = infer_network(&file.state)?;
    let preset = nearest_preset(&network);
    match preset.map(Preset::model) {
        // Such files hold neither anchors nor batch counts, and their last layer answers.
        Some(published) if file.format == Format::HuggingFace => {
            (network.backbone, network.eval_spatial_size) = (published.backbone, published.eval_spatial_size);
        }
        Some(published) => network.decoder.eval_idx = published.decoder.eval_idx,
        None => {}
    }
    let origin = preset.map_or("unpublished, found by shapes".to_owned(), |preset| preset.short.to_owned());
    match &file.config_json {
        Some(config) => config.complete(&mut network),
        None => eprintln!(
            "note: network found by shapes: {origin}; {} queries, bilinear sampling and {} encoder heads are assumed; \
             say --preset or --config if it is another",
            network.decoder.num_queries, network.encoder.nhead
        ),
    }
    let recipe = preset.unwrap_or(Preset::find("rtdetrv2_r18vd")?);
    let mut config = recipe.config(DataSource::SHAPES);
    if let Some([height, _]) = network.eval_spatial_size {
        config.data.side = u32::try_from(height)?;
    }
    config.model = network;
    Ok(Network { config, origin })
}
