//! Functions and communicators, and the page's numbers for them.

use mpirage_call::{ContextId, SELF, WORLD, function_names};
use mpirage_interpret::function::{FunctionKind, function};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::category::{Category, category};

/// The functions that were called, in the order of their first calls.
#[derive(Clone)]
pub(crate) struct Functions {
    /// The category of each function, as far as it has been looked up.
    categories: Vec<Option<Category>>,
    /// The number of each function plus one, by its index in the table of functions; 0 if it was not called.
    numbers: Vec<u16>,
    used: Vec<u16>,
}

impl Functions {
    pub fn new() -> Functions {
        Functions { categories: vec![None; function_names().len()], numbers: Vec::new(), used: Vec::new() }
    }

    /// The kind of a function, and the category of the time in it.
    #[inline]
    pub fn kind(&self, of: u16) -> (FunctionKind, Category) {
        let kind = function(of).kind;
        (kind, category(kind))
    }

    /// The category of the time in a function, apart from waiting.
    #[inline]
    pub fn category(&mut self, of: u16) -> Category {
        match self.categories.get(usize::from(of)) {
            Some(&Some(known)) => known,
            _ => self.look_up(of),
        }
    }

    #[cold]
    fn look_up(&mut self, of: u16) -> Category {
        let (_, category) = self.kind(of);
        if let Some(place) = self.categories.get_mut(usize::from(of)) {
            *place = Some(category);
        }
        category
    }

    /// The number of a function, which gets one if it has none.
    #[inline]
    pub fn index(&mut self, of: u16) -> u16 {
        match self.numbers.get(usize::from(of)) {
            Some(&number) if number > 0 => number - 1,
            _ => self.add(of),
        }
    }

    fn add(&mut self, of: u16) -> u16 {
        let length = self.numbers.len().max(usize::from(of) + 1);
        self.numbers.resize(length, 0);
        self.used.push(of);
        self.numbers[usize::from(of)] = self.used.len() as u16;
        self.used.len() as u16 - 1
    }

    /// The number of a function that was called.
    pub fn find(&self, of: u16) -> Option<u16> {
        self.numbers.get(usize::from(of))?.checked_sub(1)
    }

    /// The categories of the functions that were called.
    pub fn categories(&self) -> Vec<u8> {
        self.used.iter().map(|&of| self.kind(of).1 as u8).collect()
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.used.iter().map(|&of| function(of).name).collect()
    }
}

/// Communicators, numbered from 1 in the order of their creation; 0 is none.
#[derive(Clone)]
pub(crate) struct Contexts {
    shown: Vec<Value>,
    indices: FxHashMap<ContextId, u32>,
}

impl Contexts {
    pub fn new(ranks: u32) -> Contexts {
        let none = json!({"id": Value::Null, "size": 0, "name": ""});
        let mut contexts = Contexts { shown: vec![none], indices: FxHashMap::default() };
        contexts.push(WORLD, ranks, "MPI_COMM_WORLD".to_owned());
        contexts.push(SELF, 1, "MPI_COMM_SELF".to_owned());
        contexts
    }

    pub fn add(&mut self, context: ContextId, size: u32) {
        self.push(context, size, format!("communicator {context}"));
    }

    fn push(&mut self, context: ContextId, size: u32, name: String) {
        self.indices.insert(context, self.shown.len() as u32);
        self.shown.push(json!({"id": context.get(), "size": size, "name": name}));
    }

    /// All communicators, for the page.
    pub fn shown(&self) -> &[Value] {
        &self.shown
    }

    #[inline]
    pub fn index(&self, context: ContextId) -> u32 {
        match context {
            WORLD => 1,
            SELF => 2,
            _ => self.indices.get(&context).copied().unwrap_or(0),
        }
    }
}
