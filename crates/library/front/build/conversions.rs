//! Conversions of constants between the MPI 5 ABI and another library's, as Rust.

use std::collections::HashMap;
use std::fmt::Write;

use super::dialect::{Dialect, HandleValue};

type Standard = HashMap<String, (String, i64)>;

/// Integers that are converted alike: the name of the conversion, the standard's kinds of parameters, the constants.
pub struct Conversion {
    pub name: &'static str,
    pub kinds: &'static [&'static str],
    constants: Constants,
}

enum Constants {
    /// One of these; other numbers stay as they are.
    OneOf(&'static [&'static str]),
    /// Those with one of these beginnings.
    Beginning(&'static [&'static str]),
    /// A set of bits.
    Bits(&'static [&'static str]),
}

use Constants::{Beginning, Bits, OneOf};

/// All conversions of integers.
pub const CONVERSIONS: [Conversion; 22] = [
    Conversion {
        name: "rank",
        kinds: &["rank", "rank_nni"],
        constants: OneOf(&["MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT"]),
    },
    Conversion { name: "tag", kinds: &["tag"], constants: OneOf(&["MPI_ANY_TAG"]) },
    Conversion {
        name: "class",
        kinds: &[],
        constants: Beginning(&["MPI_SUCCESS", "MPI_ERR_", "MPI_T_ERR_"]),
    },
    Conversion {
        name: "comparison",
        kinds: &["comm_comparison", "group_comparison"],
        constants: OneOf(&["MPI_IDENT", "MPI_CONGRUENT", "MPI_SIMILAR", "MPI_UNEQUAL"]),
    },
    Conversion {
        name: "topology",
        kinds: &["topology_type"],
        constants: OneOf(&["MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH"]),
    },
    Conversion { name: "split_type", kinds: &["split_type"], constants: Beginning(&["MPI_COMM_TYPE_"]) },
    Conversion { name: "thread_level", kinds: &["thread_level"], constants: Beginning(&["MPI_THREAD_"]) },
    Conversion { name: "order", kinds: &["order"], constants: Beginning(&["MPI_ORDER_"]) },
    Conversion {
        name: "distribution",
        kinds: &["distrib_enum"],
        constants: OneOf(&["MPI_DISTRIBUTE_NONE", "MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC"]),
    },
    Conversion {
        name: "distribution_argument",
        kinds: &["dtype_distribution"],
        constants: OneOf(&["MPI_DISTRIBUTE_DFLT_DARG"]),
    },
    Conversion { name: "combiner", kinds: &["combiner"], constants: Beginning(&["MPI_COMBINER_"]) },
    Conversion { name: "typeclass", kinds: &["typeclass"], constants: Beginning(&["MPI_TYPECLASS_"]) },
    Conversion { name: "lock_type", kinds: &["lock_type"], constants: Beginning(&["MPI_LOCK_"]) },
    Conversion {
        name: "verbosity",
        kinds: &["tool_var_verbosity"],
        constants: Beginning(&["MPI_T_VERBOSITY_"]),
    },
    Conversion { name: "binding", kinds: &["bind_type"], constants: Beginning(&["MPI_T_BIND_"]) },
    Conversion {
        name: "variable_scope",
        kinds: &["variable_scope"],
        constants: Beginning(&["MPI_T_SCOPE_"]),
    },
    Conversion {
        name: "variable_class",
        kinds: &["pvar_class"],
        constants: Beginning(&["MPI_T_PVAR_CLASS_"]),
    },
    Conversion { name: "whence", kinds: &["update_mode"], constants: Beginning(&["MPI_SEEK_"]) },
    Conversion {
        name: "keyval",
        kinds: &["keyval"],
        constants: OneOf(&[
            "MPI_KEYVAL_INVALID",
            "MPI_TAG_UB",
            "MPI_IO",
            "MPI_HOST",
            "MPI_WTIME_IS_GLOBAL",
            "MPI_APPNUM",
            "MPI_LASTUSEDCODE",
            "MPI_UNIVERSE_SIZE",
            "MPI_WIN_BASE",
            "MPI_WIN_DISP_UNIT",
            "MPI_WIN_SIZE",
            "MPI_WIN_CREATE_FLAVOR",
            "MPI_WIN_MODEL",
        ]),
    },
    Conversion {
        name: "window_kind",
        kinds: &[],
        constants: Beginning(&["MPI_WIN_FLAVOR_", "MPI_WIN_UNIFIED", "MPI_WIN_SEPARATE"]),
    },
    Conversion {
        name: "access_mode",
        kinds: &["access_mode"],
        constants: Bits(&[
            "MPI_MODE_APPEND",
            "MPI_MODE_CREATE",
            "MPI_MODE_DELETE_ON_CLOSE",
            "MPI_MODE_EXCL",
            "MPI_MODE_RDONLY",
            "MPI_MODE_RDWR",
            "MPI_MODE_SEQUENTIAL",
            "MPI_MODE_UNIQUE_OPEN",
            "MPI_MODE_WRONLY",
        ]),
    },
    Conversion {
        name: "assertion",
        kinds: &["assert"],
        constants: Bits(&[
            "MPI_MODE_NOCHECK",
            "MPI_MODE_NOPRECEDE",
            "MPI_MODE_NOPUT",
            "MPI_MODE_NOSTORE",
            "MPI_MODE_NOSUCCEED",
        ]),
    },
];

/// The conversion of parameters of a kind, if they need one.
pub fn of_kind(kind: &str) -> Option<&'static str> {
    if ["error_code", "error_class"].contains(&kind) {
        return Some("error");
    }
    CONVERSIONS.iter().find(|conversion| conversion.kinds.contains(&kind)).map(|conversion| conversion.name)
}

/// Functions `rank_to_abi`, `rank_from_abi` and so on, and the constants that fronts name.
pub fn integers(standard: &Standard, dialect: &Dialect) -> String {
    let mut text = String::new();
    for conversion in &CONVERSIONS {
        let pairs = pairs(&conversion.constants, standard, dialect);
        let bits = matches!(conversion.constants, Bits(_));
        let reversed: Vec<(i64, i64)> = pairs.iter().map(|&(abi, theirs)| (theirs, abi)).collect();
        text += &function(&format!("{}_to_abi", conversion.name), &reversed, bits);
        text += &function(&format!("{}_from_abi", conversion.name), &pairs, bits);
    }
    let last = dialect.integers["MPI_ERR_LASTCODE"];
    text +=
        &format!("/// The other library's last error code.\npub(crate) const LAST_CODE: c_int = {last};\n");
    let overhead = dialect.integers["MPI_BSEND_OVERHEAD"];
    text += &format!("/// The other library's.\npub(crate) const BSEND_OVERHEAD: usize = {overhead};\n");
    text + &standard_integers(standard)
}

/// The integers of the MPI 5 ABI, in a module `abi`.
fn standard_integers(standard: &Standard) -> String {
    let mut integers: Vec<_> = standard.iter().filter(|(_, (of, _))| of == "int").collect();
    integers.sort();
    let constant = |(name, (_, value)): &(&String, &(String, i64))| {
        format!("pub(crate) const {name}: c_int = {value};\n")
    };
    let constants: String = integers.iter().map(constant).collect();
    format!("#[allow(dead_code)]\npub(crate) mod abi {{\nuse super::c_int;\n{constants}}}\n")
}

/// Pairs of a number of the MPI 5 ABI and the other library's.
fn pairs(constants: &Constants, standard: &Standard, dialect: &Dialect) -> Vec<(i64, i64)> {
    let mut names: Vec<&String> = standard.keys().filter(|name| contains(constants, name)).collect();
    names.sort();
    let pair = |name: &&String| Some((standard[*name].1, *dialect.integers.get(*name)?));
    names.iter().filter_map(pair).collect()
}

fn contains(constants: &Constants, name: &str) -> bool {
    match constants {
        OneOf(names) | Bits(names) => names.contains(&name),
        Beginning(beginnings) => {
            name != "MPI_ERR_LASTCODE" && beginnings.iter().any(|beginning| name.starts_with(beginning))
        }
    }
}

/// A function that replaces the first of each pair by the second. A number that is only among the second has no meaning in the
/// first library: it becomes one that has no meaning in the second either.
fn function(name: &str, pairs: &[(i64, i64)], bits: bool) -> String {
    let mut body = String::new();
    if bits {
        let steps =
            pairs.iter().map(|(from, to)| format!("    if value & {from} != 0 {{ result |= {to}; }}\n"));
        let known: i64 = pairs.iter().map(|pair| pair.0).sum();
        body = format!(
            "    let mut result = 0;\n{}    if value & !{known} != 0 {{ result |= UNKNOWN_BIT; }}\n    result\n",
            steps.collect::<String>()
        );
    } else {
        body += "    match value {\n";
        let mut known: Vec<i64> = Vec::new();
        for &(from, to) in pairs {
            if !known.contains(&from) {
                writeln!(body, "        {from} => {to},").expect("a string");
                known.push(from);
            }
        }
        for &(_, to) in pairs {
            if !known.contains(&to) {
                writeln!(body, "        {to} => mark_unknown({to}),").expect("a string");
                known.push(to);
            }
        }
        body += "        other => unmark_unknown(other),\n    }\n";
    }
    format!("pub(crate) const fn {name}(value: c_int) -> c_int {{\n{body}}}\n")
}

/// The predefined handles of each class: `(class, [(MPI 5, theirs)])`.
pub fn handles<'a>(
    standard: &Standard,
    dialect: &'a Dialect,
) -> HashMap<String, Vec<(i64, &'a HandleValue)>> {
    let mut classes: HashMap<String, Vec<(i64, &HandleValue)>> = HashMap::new();
    for handle in &dialect.handles {
        let Some(name) = &handle.name else { continue };
        let (class, abi) = &standard[name];
        classes.entry(class.clone()).or_default().push((*abi, &handle.value));
    }
    classes
}
