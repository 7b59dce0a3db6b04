//! Arithmetic on the colours of many pixels at a time, in Pillow's order and rounding.
//!
//! Interleaved bytes are spread over one array a channel, where plain loops compile to vector instructions, and
//! gathered again.

use multiversion::multiversion;

use super::hsv;

/// Pixels of a tile: large enough to fill vectors, small enough to stay in the nearest cache.
const TILE: usize = 64;

/// A level for every level.
pub(super) type Table = [u8; 256];

/// What happens to every pixel, in this order.
#[derive(Debug, Clone)]
pub(super) struct Recolour {
    /// Levels that replace the levels.
    pub(super) table: Table,
    /// Factor on the distance from each pixel's own grey.
    pub(super) saturation: Option<f32>,
    /// Steps, of 256, that the hue turns.
    pub(super) hue: Option<u8>,
    /// Which channel goes to red, green, blue.
    pub(super) channels: [usize; 3],
}

impl Recolour {
    /// Changes a row of interleaved RGB levels.
    pub(super) fn apply(&self, row: &mut [u8]) {
        if self.saturation.is_none() && self.hue.is_none() && self.channels == [0, 1, 2] {
            row.iter_mut().for_each(|level| *level = self.table[usize::from(*level)]);
        } else {
            recolour(row, self);
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn recolour(row: &mut [u8], how: &Recolour) {
    for pixels in row.chunks_mut(3 * TILE) {
        let mut tile = Tile::load(pixels, &how.table);
        if let Some(factor) = how.saturation {
            tile.saturate(factor);
        }
        if let Some(shift) = how.hue {
            tile.turn_hue(i32::from(shift));
        }
        tile.store(pixels, how.channels);
    }
}

/// Sum of the greys of a row of interleaved RGB levels, each replaced by that of the table first.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn grey_sum(row: &[u8], table: &Table) -> u64 {
    let tiles = row.chunks(3 * TILE).map(|pixels| Tile::load(pixels, table).greys().iter().sum::<i32>());
    // The black pixels that fill up the last tile add nothing.
    tiles.map(|sum| sum as u64).sum()
}

struct Tile([[i32; TILE]; 3]);

impl Tile {
    #[inline(always)]
    fn load(pixels: &[u8], table: &Table) -> Self {
        let mut planes = [[0; TILE]; 3];
        let [red, green, blue] = &mut planes;
        for (((pixel, red), green), blue) in pixels.chunks_exact(3).zip(red).zip(green).zip(blue) {
            *red = i32::from(table[usize::from(pixel[0])]);
            *green = i32::from(table[usize::from(pixel[1])]);
            *blue = i32::from(table[usize::from(pixel[2])]);
        }
        Self(planes)
    }

    #[inline(always)]
    fn store(&self, pixels: &mut [u8], channels: [usize; 3]) {
        let [red, green, blue] = channels.map(|channel| &self.0[channel]);
        for (((pixel, red), green), blue) in pixels.chunks_exact_mut(3).zip(red).zip(green).zip(blue) {
            (pixel[0], pixel[1], pixel[2]) = (*red as u8, *green as u8, *blue as u8);
        }
    }

    #[inline(always)]
    fn greys(&self) -> [i32; TILE] {
        let [red, green, blue] = &self.0;
        std::array::from_fn(|i| grey([red[i], green[i], blue[i]]))
    }

    #[inline(always)]
    fn saturate(&mut self, factor: f32) {
        let greys = self.greys();
        for plane in &mut self.0 {
            for (level, grey) in plane.iter_mut().zip(greys) {
                *level = blend(grey, *level, factor);
            }
        }
    }

    #[inline(always)]
    fn turn_hue(&mut self, shift: i32) {
        let [red, green, blue] = &mut self.0;
        for ((red, green), blue) in red.iter_mut().zip(green).zip(blue) {
            [*red, *green, *blue] = hsv::turn([*red, *green, *blue], shift);
        }
    }
}

/// Luma of ITU-R 601 in 16-bit fixed point, rounded.
#[inline(always)]
fn grey([red, green, blue]: [i32; 3]) -> i32 {
    (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16
}

/// `pivot` where the factor is 0, `level` where it is 1, straight on beyond; cut off to a level.
#[inline(always)]
pub(super) fn blend(pivot: i32, level: i32, factor: f32) -> i32 {
    hsv::whole_part((pivot as f32 + factor * (level - pivot) as f32).clamp(0.0, 255.0))
}
