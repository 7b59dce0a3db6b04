//! Writes a crate of model and loop code, with and without the attribute.

use std::fmt::Write;

/// A source text and the number of attributes in it.
pub struct Source {
    /// The text of `lib.rs`.
    pub text: String,
    /// How many attributes it bears.
    pub attributes: usize,
}

/// At least `lines` lines, the same on every call; `annotated` decides only about the attribute lines.
pub fn source(lines: usize, annotated: bool) -> Source {
    let mut source = Source { text: PRELUDE.to_owned(), attributes: 0 };
    let mut count = 0;
    for index in 0.. {
        let module = module(index);
        count += module.lines().filter(|line| !is_mark(line)).count();
        source.push(&module, annotated);
        if count >= lines {
            break;
        }
    }
    source
}

impl Source {
    /// Adds `module`, its marks replaced by attributes or left out.
    fn push(&mut self, module: &str, annotated: bool) {
        for line in module.lines() {
            match line.trim_start().strip_prefix('@') {
                None => self.line(line),
                Some(attribute) if annotated => {
                    self.attributes += 1;
                    self.line(&format!("#[{attribute}]"));
                }
                Some(_) => {}
            }
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// `@no_retain` stands where the annotated crate has an attribute.
fn is_mark(line: &str) -> bool {
    line.trim_start().starts_with('@')
}

const PRELUDE: &str = "\
//! Generated: model and loop code.
#![allow(dead_code, unused_imports)]
use std::collections::{BTreeMap, HashMap, VecDeque};
use guard_core::{Detached, Param, no_retain};
use tch::{Device, Kind, Reduction, Tensor, nn, nn::{Module, ModuleT, OptimizerConfig}};

";

/// A network, its data, its training and its bookkeeping, of a size and shape that `index` decides.
fn module(index: usize) -> String {
    let fragments = [LAYER, BLOCK, DATA, METER, TRAIN, EVALUATE, QUEUE, SCHEDULE];
    let mut text = format!("pub mod part{index} {{\nuse super::*;\n");
    text.push_str(&network(index, 2 + index % 5));
    for fragment in fragments {
        text.push_str(&fragment.replace("WIDTH", &(16 + 8 * (index % 7)).to_string()));
    }
    text.push_str(&summary(3 + index % 4));
    text.push_str("}\n\n");
    text
}

/// A network of `depth` layers, each a field of its own.
fn network(index: usize, depth: usize) -> String {
    let width = 16 + 8 * (index % 7);
    let each = |line: &dyn Fn(usize) -> String| (0..depth).map(line).collect::<String>();
    let fields = each(&|n| format!("    pub linear{n}: nn::Linear,\n    pub norm{n}: nn::LayerNorm,\n"));
    let build = each(&|n| {
        let linear = format!("nn::linear(path / \"linear{n}\", {width}, {width}, Default::default())");
        let norm = format!("nn::layer_norm(path / \"norm{n}\", vec![{width}], Default::default())");
        format!("            linear{n}: {linear},\n            norm{n}: {norm},\n")
    });
    let forward = each(&|n| {
        format!(
            "        let y = self.linear{n}.forward(&x).relu();\n        let x = self.norm{n}.forward(&(y + &x));\n"
        )
    });
    format!(
        "@no_retain\n#[derive(Debug)]\npub struct Net {{\n{fields}    pub scale: Param,\n}}\n\n\
         impl Net {{\n    pub fn new(path: &nn::Path) -> Self {{\n        Self {{\n{build}            \
         scale: Param::new(path, \"scale\", &[{width}], nn::Init::Const(1.0)),\n        }}\n    }}\n\n    \
         pub fn forward(&self, images: &Tensor) -> Tensor {{\n        let x = images.shallow_clone();\n{forward}        \
         x * self.scale.tensor()\n    }}\n\n    pub fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {{\n        \
         self.forward(x).mse_loss(y, Reduction::Mean)\n    }}\n}}\n\n"
    )
}

/// A function that gathers `count` kinds of numbers of an epoch.
fn summary(count: usize) -> String {
    let mut text = String::from("@no_retain\npub fn summary(net: &Net, data: &Data) -> Vec<f64> {\n");
    for n in 0..count {
        let _ = writeln!(text, "    let mut list{n}: Vec<f64> = Vec::new();");
    }
    text.push_str("    for (x, y) in data.batches() {\n        let loss = net.loss(&x, &y);\n");
    for n in 0..count {
        let _ = writeln!(text, "        list{n}.push(loss.double_value(&[]) * {n}.5);");
    }
    text.push_str("    }\n    let mut all = Vec::new();\n");
    for n in 0..count {
        let _ = writeln!(text, "    all.push(list{n}.iter().sum::<f64>() / list{n}.len() as f64);");
    }
    text.push_str("    all\n}\n");
    text
}

const LAYER: &str = include_str!("fragments/layer.txt");
const BLOCK: &str = include_str!("fragments/block.txt");
const DATA: &str = include_str!("fragments/data.txt");
const METER: &str = include_str!("fragments/meter.txt");
const TRAIN: &str = include_str!("fragments/train.txt");
const EVALUATE: &str = include_str!("fragments/evaluate.txt");
const QUEUE: &str = include_str!("fragments/queue.txt");
const SCHEDULE: &str = include_str!("fragments/schedule.txt");
