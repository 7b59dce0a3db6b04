//! A `Detached` value written in each format of tch, and read back.

use guard_core::{Detached, graph_nodes};
use std::{collections::BTreeMap, path::PathBuf};
use tch::{Device, Kind, Tensor, nn};

/// A file of one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("guard_core_{}_{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Values with a graph, made to be cut off.
fn averages() -> Detached<BTreeMap<String, Tensor>> {
    let w = Tensor::from_slice(&[1.0f32, 2.0, 3.0]).set_requires_grad(true);
    let named = [("bias", &w + 1.0), ("weight", &w * 2.0)];
    Detached::from(
        named.map(|(name, tensor)| (name.to_owned(), tensor)).into_iter().collect::<BTreeMap<_, _>>(),
    )
}

fn assert_same(read: impl IntoIterator<Item = (String, Tensor)>) {
    let read = Detached::from(read.into_iter().collect::<BTreeMap<_, _>>()).get();
    let written = averages().get();
    assert!(read.keys().eq(written.keys()));
    for (name, tensor) in &read {
        assert!(tensor.equal(&written[name]), "{name}");
        assert!(!tensor.requires_grad() && graph_nodes(tensor) == 0, "{name}");
    }
}

#[test]
fn one_tensor() {
    let file = Scratch::new("one.pt");
    let weight = Detached::from(averages().into_inner().remove("weight").expect("it is there"));
    weight.get().save(&file.0).expect("it is written");
    let read = Detached::from(Tensor::load(&file.0).expect("it is read"));
    assert!(read.get().equal(&weight.get()));
}

#[test]
fn named_tensors_of_torch() {
    let file = Scratch::new("named.pt");
    Tensor::save_multi(&Vec::from_iter(averages().get()), &file.0).expect("they are written");
    assert_same(Tensor::load_multi(&file.0).expect("they are read"));
}

#[test]
fn named_tensors_of_safetensors() {
    let file = Scratch::new("named.safetensors");
    Tensor::write_safetensors(&Vec::from_iter(averages().get()), &file.0).expect("they are written");
    assert_same(Tensor::read_safetensors(&file.0).expect("they are read"));
}

#[test]
fn the_variables_of_a_store() {
    let file = Scratch::new("store.safetensors");
    let store = nn::VarStore::new(Device::Cpu);
    averages().get().iter().for_each(|(name, tensor)| drop(store.root().var_copy(name, tensor)));
    store.save(&file.0).expect("it is written");

    let mut read = nn::VarStore::new(Device::Cpu);
    ["bias", "weight"].iter().for_each(|name| drop(read.root().zeros(name, &[3])));
    read.load(&file.0).expect("it is read");
    assert_same(read.variables());
}

#[test]
fn elements_of_every_kind_come_back() {
    let file = Scratch::new("kinds.safetensors");
    for kind in [Kind::Float, Kind::Double, Kind::Half, Kind::BFloat16, Kind::Int64, Kind::Uint8] {
        let written = Detached::from(Tensor::from_slice(&[0i64, 1, 2, 200]).to_kind(kind));
        Tensor::write_safetensors(&[("x", written.get())], &file.0).expect("it is written");
        let read = Detached::from(Tensor::read_safetensors(&file.0).expect("it is read").remove(0).1);
        assert_eq!((read.kind(), read.size()), (kind, vec![4]));
        assert!(read.get().equal(&written.get()), "{kind:?}");
    }
}
