//! `trainer inspect`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use guard_core::no_retain;
use tch::{Device, Kind};
use trainer::{
    config::{DataSource, Preset},
    model::{
        RtDetrConfig,
        cost::{ModuleCost, costs},
        state_order,
    },
    report::units,
    train::ema,
    weights::{Contents, Format, StateDict, WeightsFile, infer_network, nearest_preset},
};

/// Say what weights hold, or what a published network consists of: parameters, shapes, cost.
///
/// GFLOPs are those of one image in evaluation, two for each multiply-accumulate of convolutions and linear layers, up to the
/// layer that answers; norms, activations, interpolation and the products inside attention are not counted.
#[derive(clap::Args)]
#[no_retain]
pub struct Args {
    /// Weights in any form that `trainer convert` reads
    #[arg(value_name = "FILE", required_unless_present = "preset")]
    weights: Option<PathBuf>,
    /// A published network instead; `trainer presets` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "weights")]
    preset: Option<String>,
    /// Side in pixels of the image that GFLOPs are counted for [default: 640, or that of the weights]
    #[arg(long)]
    side: Option<u32>,
    /// List every tensor with its shape and type
    #[arg(long)]
    tensors: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (state, network) = match (&args.preset, &args.weights) {
        (Some(name), _) => of_preset(name)?,
        (None, Some(path)) => of_file(&WeightsFile::read(path)?)?,
        (None, None) => unreachable!("clap asks for one of them"),
    };
    if let Some(network) = &network {
        print_network(network);
        print_costs(&state, network, args.side)?;
    }
    if args.tensors || network.is_none() {
        print_tensors(&state);
    }
    Ok(ExitCode::SUCCESS)
}

fn of_preset(name: &str) -> anyhow::Result<(StateDict, Option<RtDetrConfig>)> {
    let preset = Preset::find(name)?;
    let network = preset.config(DataSource::SHAPES).model;
    let (store, _) = ema::build(&network, Device::Cpu)?;
    println!("{}: {} epochs in batches of {}", preset.name, preset.epochs, preset.batch_size);
    Ok((StateDict::of_store(&store, preset.name.as_ref()), Some(network)))
}

fn of_file(file: &WeightsFile) -> anyhow::Result<(StateDict, Option<RtDetrConfig>)> {
    let form = match &file.format {
        Format::Trainer => "a checkpoint of this trainer".to_owned(),
        Format::Pytorch("") => "a PyTorch state dict".to_owned(),
        Format::Pytorch(section) => format!("a PyTorch checkpoint, its `{section}`"),
        Format::Official => "safetensors under the official keys".to_owned(),
        Format::HuggingFace => "a Hugging Face RTDetrV2ForObjectDetection".to_owned(),
    };
    println!("{}: {form}", file.state.path().display());
    file.notes.iter().for_each(|note| println!("note: {note}"));
    if let Some(meta) = &file.meta {
        let counters = &meta.counters;
        println!("trained for {} epochs, {} steps", counters.epoch, counters.step);
        println!("classes: {}", meta.classes.join(", "));
    }
    let mut state = StateDict::new(file.state.path());
    file.state.iter().for_each(|(name, tensor)| {
        state.insert(name.to_owned(), guard_core::Detached::new(&tensor));
    });
    let network = match (&file.meta, file.contents) {
        (Some(meta), _) => Some(meta.config.model.clone()),
        (None, Contents::Backbone) => None,
        (None, Contents::Network) if !state.has_prefix("decoder.") => None,
        (None, Contents::Network) => Some(found_by_shapes(file)?),
    };
    Ok((state, network))
}

fn found_by_shapes(file: &WeightsFile) -> anyhow::Result<RtDetrConfig> {
    let mut network = infer_network(&file.state)?;
    if let Some(preset) = nearest_preset(&network) {
        println!("network: {} (found by shapes)", preset.short);
        // The last layer of a Hugging Face model answers.
        if file.format != Format::HuggingFace {
            network.decoder.eval_idx = preset.model().decoder.eval_idx;
        }
    }
    if let Some(config) = &file.config_json {
        config.complete(&mut network);
    }
    Ok(network)
}

fn print_network(network: &RtDetrConfig) {
    let decoder = &network.decoder;
    println!(
        "{} classes, {} queries, {} decoder layers of which layer {} answers, sampling points {:?}",
        network.num_classes,
        decoder.num_queries,
        decoder.num_layers,
        decoder.eval_layer() + 1,
        decoder.num_points
    );
}

fn print_costs(state: &StateDict, network: &RtDetrConfig, side: Option<u32>) -> anyhow::Result<()> {
    let own = network.eval_spatial_size.unwrap_or([640, 640]);
    let size = side.map_or(own, |side| [i64::from(side); 2]);
    network.check_image_size(size[0], size[1]).context("--side")?;
    let mut entries: Vec<_> = state.iter().map(|(name, tensor)| (name.to_owned(), tensor.size())).collect();
    state_order::sort_entries(&mut entries);
    let modules = costs(network, entries.iter().map(|(name, size)| (name.as_str(), size.as_slice())), size);
    println!("\n{:<32} {:>14} {:>10}", "module", "parameters", "GFLOPs");
    // Tables that are neither trained nor multiplied by.
    let counted = modules.iter().filter(|module| module.parameters > 0 || module.macs > 0);
    counted.for_each(print_cost);
    let sum = |value: fn(&ModuleCost) -> u64| modules.iter().map(value).sum();
    print_cost(&ModuleCost {
        module: format!("all, at {}x{}", size[1], size[0]),
        parameters: sum(|module| module.parameters),
        macs: sum(|module| module.macs),
    });
    Ok(())
}

fn print_cost(cost: &ModuleCost) {
    let gflops = 2. * cost.macs as f64 / 1e9;
    println!("{:<32} {:>14} {gflops:>10.2}", cost.module, units::grouped(cost.parameters));
}

fn print_tensors(state: &StateDict) {
    let mut entries: Vec<(String, (Vec<i64>, Kind))> =
        state.iter().map(|(name, tensor)| (name.to_owned(), (tensor.size(), tensor.kind()))).collect();
    state_order::sort_entries(&mut entries);
    println!("\n{} tensors", entries.len());
    for (name, (size, kind)) in entries {
        println!("{name} {size:?} {kind:?}");
    }
}
