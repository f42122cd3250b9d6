//! Process groups: which ranks take part in a collective.
//!
//! A collective names its group (`pg_name`), or the dimensions of the network along which it goes (`involved_dim`), or neither: then all
//! ranks take part. The members of a named group are in the trace, in the node in which PyTorch lists its groups, or in a file as ASTRA-sim
//! reads it: `{"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}`.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::files::Named;
use super::node::Attributes;
use crate::{TraceError, TracePlace};

/// Names that mean all ranks unless the trace says otherwise.
const ALL_RANKS: [&str; 2] = ["", "0"];

/// The groups of all ranks.
#[derive(Debug, Default)]
pub(super) struct Groups {
    ranks: u32,
    dims: Vec<u32>,
    /// The members of each, none twice.
    members: Vec<Vec<u32>>,
    numbers: HashMap<(String, Vec<u32>), u32>,
    /// By name, of a file for all ranks.
    given: HashMap<String, u32>,
    /// By name, as the rank that is read lists them.
    listed: HashMap<String, u32>,
}

/// A group in PyTorch's list.
#[derive(Deserialize)]
struct Listed {
    pg_name: String,
    ranks: Vec<u32>,
}

impl Groups {
    /// Groups of so many ranks, and what the user says about them.
    pub fn new(ranks: u32, named: &Named) -> Result<Groups, TraceError> {
        let mut groups = Groups { ranks, dims: named.dims.clone(), ..Groups::default() };
        groups.check_dims()?;
        if let Some(file) = &named.groups {
            groups.read(file)?;
        }
        Ok(groups)
    }

    /// The members of each group, in the order of their numbers.
    pub fn into_members(self) -> Vec<Vec<u32>> {
        self.members
    }

    /// Forgets what the last rank has listed.
    pub fn begin_rank(&mut self) {
        self.listed.clear();
    }

    /// Takes the groups in the inputs of a metadata node, if it lists some.
    pub fn learn(&mut self, inputs: &str) -> Result<(), String> {
        // The list is a text in a list of Python: ['[{"pg_name": "0", "ranks": [0, 1], …}]'].
        let (Some(from), Some(to)) = (inputs.find('{'), inputs.rfind('}')) else { return Ok(()) };
        if from > to || !inputs.contains("pg_name") {
            return Ok(());
        }
        let list: Vec<Listed> = serde_json::from_str(&format!("[{}]", &inputs[from..=to]))
            .map_err(|error| format!("its list of process groups cannot be read: {error}"))?;
        for Listed { pg_name, ranks } in list {
            let members = if ranks.is_empty() { (0..self.ranks).collect() } else { ranks };
            let number = self.number(&pg_name, members)?;
            self.listed.insert(pg_name, number);
        }
        Ok(())
    }

    /// The number of the group in which `rank` takes part in a collective; none if it is all ranks.
    pub fn of(&mut self, rank: u32, attributes: &Attributes) -> Result<Option<u32>, String> {
        let name = attributes.pg_name.as_str();
        let known = self.listed.get(name).or_else(|| self.given.get(name)).copied();
        let number = match known {
            Some(number) => number,
            None if !ALL_RANKS.contains(&name) => return Err(unknown(name)),
            None if attributes.involved_dim.iter().all(|&involved| involved) => return Ok(None),
            None => self.along(rank, &attributes.involved_dim)?,
        };
        if !self.members[number as usize].contains(&rank) {
            return Err(format!("rank {rank} is no member of its process group `{name}`"));
        }
        Ok(Some(number))
    }

    /// How many ranks a group has.
    pub fn size(&self, group: Option<u32>) -> u32 {
        group.map_or(self.ranks, |number| self.members[number as usize].len() as u32)
    }

    /// The rank of a group that is this rank of the world.
    pub fn place(&self, group: Option<u32>, rank: u32) -> Option<u32> {
        let Some(number) = group else { return (rank < self.ranks).then_some(rank) };
        let place = self.members[number as usize].iter().position(|&member| member == rank);
        place.map(|place| place as u32)
    }

    fn number(&mut self, name: &str, members: Vec<u32>) -> Result<u32, String> {
        if let Some(&number) = self.numbers.get(&(name.to_owned(), members.clone())) {
            return Ok(number);
        }
        let mut sorted = members.clone();
        sorted.sort_unstable();
        if let Some(beyond) = sorted.last().filter(|&&member| member >= self.ranks) {
            return Err(format!(
                "process group `{name}` has a rank {beyond}, but the trace has {} ranks",
                self.ranks
            ));
        }
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!("process group `{name}` names a rank twice"));
        }
        let number = self.members.len() as u32;
        self.members.push(members.clone());
        self.numbers.insert((name.to_owned(), members), number);
        Ok(number)
    }

    /// The ranks that differ from this one in the involved dimensions only.
    fn along(&mut self, rank: u32, involved: &[bool]) -> Result<u32, String> {
        if self.dims.is_empty() {
            return Err("it goes along some dimensions of the network only (involved_dim); say their extents: chakra:TRACE,dims=8x4".into());
        }
        if self.dims.len() != involved.len() {
            return Err(format!(
                "involved_dim has {} dimensions, but `dims=` {}",
                involved.len(),
                self.dims.len()
            ));
        }
        let same = |other: u32| {
            let (mut rank, mut other) = (rank, other);
            self.dims.iter().zip(involved).all(|(&extent, &involved)| {
                let equal = rank % extent == other % extent;
                (rank, other) = (rank / extent, other / extent);
                involved || equal
            })
        };
        let members = (0..self.ranks).filter(|&other| same(other)).collect();
        self.number(&format!("along {involved:?}"), members)
    }

    fn check_dims(&self) -> Result<(), TraceError> {
        let product = self.dims.iter().fold(1u64, |product, &extent| product.saturating_mul(extent.into()));
        if self.dims.is_empty() || product == u64::from(self.ranks) {
            return Ok(());
        }
        Err(TraceError::Spec(format!(
            "`dims=`: the product of the extents is {product}, but the trace has {} ranks",
            self.ranks
        )))
    }

    fn read(&mut self, file: &Path) -> Result<(), TraceError> {
        let bad = |problem: String| TraceError::bad(file, TracePlace::File, problem);
        let text = mpirage_files::read(file, mpirage_files::LONGEST_TEXT)?;
        let lists: HashMap<String, Vec<u32>> = serde_json::from_slice(&text).map_err(|error| {
            bad(format!("{error}; write the ranks of each process group: {{\"1\": [0, 1], \"2\": [2, 3]}}"))
        })?;
        let mut lists: Vec<_> = lists.into_iter().collect();
        lists.sort();
        for (name, members) in lists {
            let number = self.number(&name, members).map_err(bad)?;
            self.given.insert(name, number);
        }
        Ok(())
    }
}

fn unknown(name: &str) -> String {
    format!(
        "nothing says which ranks are in its process group `{name}`; name a file that does: chakra:TRACE,groups=FILE.json, \
         with {{\"{name}\": [0, 1, 2, 3]}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(ranks: u32, dims: &[u32]) -> Groups {
        Groups::new(ranks, &Named { dims: dims.to_vec(), ..Named::default() }).unwrap()
    }

    fn along(involved: &[bool]) -> Attributes {
        Attributes { involved_dim: involved.to_vec(), ..Attributes::default() }
    }

    #[test]
    fn dimensions_cut_ranks_into_groups() {
        let mut groups = groups(8, &[2, 4]);
        let number = groups.of(5, &along(&[true, false])).unwrap().unwrap();
        assert_eq!(groups.members[number as usize], [4, 5]);
        let number = groups.of(5, &along(&[false, true])).unwrap();
        assert_eq!((groups.members[1].as_slice(), groups.place(number, 5)), (&[1, 3, 5, 7][..], Some(2)));
        assert_eq!(groups.of(5, &along(&[true, true])), Ok(None));
        assert!(groups.of(5, &along(&[false])).unwrap_err().contains("1 dimensions"));
        assert!(self::groups(8, &[]).of(1, &along(&[false, true])).unwrap_err().contains("dims=8x4"));
    }

    /// The text is of the form in which PyTorch 2.5 writes its groups.
    #[test]
    fn a_list_of_pytorch_is_read() {
        let mut groups = groups(4, &[]);
        let list = r#"['[{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "ranks": [], "group_size": 4},
                       {"pg_name": "7", "pg_desc": "tp", "ranks": [2, 3]}]']"#;
        groups.learn(list).unwrap();
        let seven = Attributes { pg_name: "7".into(), ..Attributes::default() };
        assert_eq!(groups.of(3, &seven), Ok(Some(1)));
        assert!(groups.of(0, &seven).unwrap_err().contains("no member"));
        groups.begin_rank();
        assert!(groups.of(3, &seven).unwrap_err().contains("groups=FILE.json"));
        assert!(groups.learn(&list.replace("2, 3", "2, 9")).unwrap_err().contains("rank 9"));
        assert!(groups.learn(&list.replace("2, 3", "2, 2")).unwrap_err().contains("twice"));
        assert!(groups.learn(&list.replace("2, 3", "2, ")).unwrap_err().contains("cannot be read"));
    }
}
