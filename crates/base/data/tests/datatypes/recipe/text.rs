//! Recipes as one line of text, constructor before arguments, old type last:
//! `vector 3 1 4 struct 2 1 0 MPI_INT 1 8 MPI_DOUBLE`.

use std::fmt;
use std::str::SplitWhitespace;

use mpirage_data::{Basic, DarrayDimension, Distribution, Order};

use super::Recipe;

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recipe::Basic(basic) => write!(f, "{basic}"),
            Recipe::Dup(of) => write!(f, "dup {of}"),
            Recipe::Contiguous { count, of } => write!(f, "contiguous {count} {of}"),
            Recipe::Vector { count, blocklength, stride, of } => {
                write!(f, "vector {count} {blocklength} {stride} {of}")
            }
            Recipe::Hvector { count, blocklength, stride, of } => {
                write!(f, "hvector {count} {blocklength} {stride} {of}")
            }
            Recipe::Indexed { blocks, of } => {
                write!(f, "indexed {}", blocks.len())?;
                blocks.iter().try_for_each(|(n, at)| write!(f, " {n} {at}"))?;
                write!(f, " {of}")
            }
            Recipe::Hindexed { blocks, of } => {
                write!(f, "hindexed {}", blocks.len())?;
                blocks.iter().try_for_each(|(n, at)| write!(f, " {n} {at}"))?;
                write!(f, " {of}")
            }
            Recipe::IndexedBlock { blocklength, displacements, of } => {
                write!(f, "indexed_block {} {blocklength}", displacements.len())?;
                displacements.iter().try_for_each(|at| write!(f, " {at}"))?;
                write!(f, " {of}")
            }
            Recipe::HindexedBlock { blocklength, displacements, of } => {
                write!(f, "hindexed_block {} {blocklength}", displacements.len())?;
                displacements.iter().try_for_each(|at| write!(f, " {at}"))?;
                write!(f, " {of}")
            }
            Recipe::Struct { members } => {
                write!(f, "struct {}", members.len())?;
                members.iter().try_for_each(|(n, at, of)| write!(f, " {n} {at} {of}"))
            }
            Recipe::Resized { lb, extent, of } => write!(f, "resized {lb} {extent} {of}"),
            Recipe::Subarray { dimensions, order, of } => {
                write!(f, "subarray {order:?} {}", dimensions.len())?;
                dimensions.iter().try_for_each(|(size, sub, start)| write!(f, " {size} {sub} {start}"))?;
                write!(f, " {of}")
            }
            Recipe::Darray { rank, dimensions, order, of } => {
                write!(f, "darray {rank} {order:?} {}", dimensions.len())?;
                for DarrayDimension { gsize, distribution, darg, psize } in dimensions {
                    write!(f, " {gsize} {distribution:?} {} {psize}", darg.unwrap_or(0))?;
                }
                write!(f, " {of}")
            }
        }
    }
}

impl Recipe {
    pub fn parse(text: &str) -> Recipe {
        let mut words = Words(text.split_whitespace());
        let recipe = words.recipe();
        assert_eq!(words.0.next(), None, "words left over in {text}");
        recipe
    }
}

struct Words<'a>(SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> &'a str {
        self.0.next().expect("the recipe ends too early")
    }

    fn number(&mut self) -> i64 {
        self.word().parse().expect("a number")
    }

    fn list<T>(&mut self, count: i64, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..count).map(|_| item(self)).collect()
    }

    fn boxed(&mut self) -> Box<Recipe> {
        Box::new(self.recipe())
    }

    fn order(&mut self) -> Order {
        match self.word() {
            "C" => Order::C,
            "Fortran" => Order::Fortran,
            other => panic!("no order {other}"),
        }
    }

    fn recipe(&mut self) -> Recipe {
        match self.word() {
            "dup" => Recipe::Dup(self.boxed()),
            "contiguous" => Recipe::Contiguous { count: self.number(), of: self.boxed() },
            "vector" => {
                let (count, blocklength, stride) = (self.number(), self.number(), self.number());
                Recipe::Vector { count, blocklength, stride, of: self.boxed() }
            }
            "hvector" => {
                let (count, blocklength, stride) = (self.number(), self.number(), self.number());
                Recipe::Hvector { count, blocklength, stride, of: self.boxed() }
            }
            "indexed" => Recipe::Indexed { blocks: self.blocks(), of: self.boxed() },
            "hindexed" => Recipe::Hindexed { blocks: self.blocks(), of: self.boxed() },
            "indexed_block" => {
                let (count, blocklength) = (self.number(), self.number());
                let displacements = self.list(count, Words::number);
                Recipe::IndexedBlock { blocklength, displacements, of: self.boxed() }
            }
            "hindexed_block" => {
                let (count, blocklength) = (self.number(), self.number());
                let displacements = self.list(count, Words::number);
                Recipe::HindexedBlock { blocklength, displacements, of: self.boxed() }
            }
            "struct" => {
                let count = self.number();
                let members = self.list(count, |words| (words.number(), words.number(), words.recipe()));
                Recipe::Struct { members }
            }
            "resized" => Recipe::Resized { lb: self.number(), extent: self.number(), of: self.boxed() },
            "subarray" => {
                let (order, count) = (self.order(), self.number());
                let dimensions = self.list(count, |words| (words.number(), words.number(), words.number()));
                Recipe::Subarray { dimensions, order, of: self.boxed() }
            }
            "darray" => {
                let (rank, order, count) = (self.number(), self.order(), self.number());
                let dimensions = self.list(count, Words::share);
                Recipe::Darray { rank, dimensions, order, of: self.boxed() }
            }
            name => Recipe::Basic(Basic::from_name(name).unwrap_or_else(|| panic!("no datatype {name}"))),
        }
    }

    fn blocks(&mut self) -> Vec<(i64, i64)> {
        let count = self.number();
        self.list(count, |words| (words.number(), words.number()))
    }

    fn share(&mut self) -> DarrayDimension {
        let gsize = self.number();
        let distribution = match self.word() {
            "Block" => Distribution::Block,
            "Cyclic" => Distribution::Cyclic,
            "None" => Distribution::None,
            other => panic!("no distribution {other}"),
        };
        let darg = Some(self.number()).filter(|&darg| darg != 0);
        DarrayDimension { gsize, distribution, darg, psize: self.number() }
    }
}
