//! A node of an execution trace, decoded. Names and numbers are those of the public schema (`et_def.proto`, mlcommons/chakra).

use super::protobuf::{Fields, NoMessage, Value, numbers};

/// A node, as far as a replay needs it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub id: u64,
    pub name: String,
    /// The number of its type.
    pub kind: u64,
    /// The nodes that it waits for.
    pub data_dependencies: Vec<u64>,
    pub control_dependencies: Vec<u64>,
    pub micros: u64,
    /// The values of its inputs, as text: PyTorch lists its process groups there.
    pub inputs: String,
    pub attributes: Attributes,
}

/// The attributes that matter. One that is missing is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Attributes {
    pub is_cpu_op: bool,
    pub num_ops: Option<f64>,
    pub tensor_size: Option<f64>,
    pub comm_type: Option<i64>,
    pub comm_size: Option<i64>,
    pub comm_src: Option<i64>,
    pub comm_dst: Option<i64>,
    pub comm_tag: Option<i64>,
    pub pg_name: String,
    /// Of each dimension of the network, whether ranks along it take part.
    pub involved_dim: Vec<bool>,
}

/// An attribute's value, whichever of the schema's types it has.
#[derive(Debug, Default)]
struct Attribute<'a> {
    name: &'a [u8],
    number: Option<f64>,
    whole: Option<i64>,
    text: &'a [u8],
    flags: Vec<bool>,
}

impl Node {
    /// Reads a message of type `Node`.
    pub fn decode(message: &[u8]) -> Result<Node, NoMessage> {
        let mut node = Node::default();
        for field in Fields::of(message) {
            match field? {
                (1, value) => node.id = value.integer(),
                (2, value) => node.name = text(value),
                (3, value) => node.kind = value.integer(),
                (4, value) => numbers(value, |id| node.control_dependencies.push(id))?,
                (5, value) => numbers(value, |id| node.data_dependencies.push(id))?,
                (7, value) => node.micros = value.integer(),
                (8, value) => node.inputs = first_text(value.bytes())?,
                (10, value) => node.attributes.take(&Attribute::decode(value.bytes())?),
                _ => {}
            }
        }
        Ok(node)
    }
}

/// What a message of type `GlobalMetadata` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Metadata {
    pub version: String,
    /// The attribute `schema`: in converted traces of PyTorch, the version of PyTorch's own schema.
    pub schema: String,
}

impl Metadata {
    pub fn decode(message: &[u8]) -> Result<Metadata, NoMessage> {
        let mut metadata = Metadata { version: first_text(message)?, ..Metadata::default() };
        for field in Fields::of(message) {
            if let (2, value) = field? {
                let attribute = Attribute::decode(value.bytes())?;
                if attribute.name == b"schema" {
                    metadata.schema = String::from_utf8_lossy(attribute.text).into_owned();
                }
            }
        }
        Ok(metadata)
    }

    /// Was the trace converted from one of PyTorch? Its schema has a number.
    pub fn is_pytorch(&self) -> bool {
        self.schema.starts_with(|first: char| first.is_ascii_digit())
    }
}

/// The text in field 1 of a message.
fn first_text(message: &[u8]) -> Result<String, NoMessage> {
    let mut found = String::new();
    for field in Fields::of(message) {
        if let (1, value @ Value::Bytes(_)) = field? {
            found = text(value);
        }
    }
    Ok(found)
}

fn text(value: Value<'_>) -> String {
    String::from_utf8_lossy(value.bytes()).into_owned()
}

impl Attributes {
    /// Does it name neither another rank nor a collective?
    pub fn says_no_peer(&self) -> bool {
        self.comm_type.is_none() && self.comm_src.is_none() && self.comm_dst.is_none()
    }

    fn take(&mut self, attribute: &Attribute<'_>) {
        let (number, whole) = (attribute.number, attribute.whole);
        match attribute.name {
            b"is_cpu_op" => self.is_cpu_op = whole.is_some_and(|flag| flag != 0),
            b"num_ops" => self.num_ops = number,
            b"tensor_size" => self.tensor_size = number,
            b"comm_type" => self.comm_type = whole,
            b"comm_size" => self.comm_size = whole,
            b"comm_src" => self.comm_src = whole,
            b"comm_dst" => self.comm_dst = whole,
            b"comm_tag" => self.comm_tag = whole,
            b"pg_name" => self.pg_name = String::from_utf8_lossy(attribute.text).into_owned(),
            b"involved_dim" => self.involved_dim = attribute.flags.clone(),
            _ => {}
        }
    }
}

impl<'a> Attribute<'a> {
    /// Reads a message of type `AttributeProto`. The fields of its value follow each other by type: each number is followed by the list of
    /// such numbers.
    fn decode(message: &'a [u8]) -> Result<Attribute<'a>, NoMessage> {
        let mut attribute = Attribute::default();
        for field in Fields::of(message) {
            match field? {
                (1, value) => attribute.name = value.bytes(),
                (3, Value::Eight(bits)) => attribute.real(f64::from_bits(bits)),
                (5, Value::Four(bits)) => attribute.real(f32::from_bits(bits).into()),
                (7 | 9 | 27, Value::Varint(number)) => attribute.integer(number as i64),
                (11 | 13, Value::Varint(number)) => {
                    attribute.integer(i64::try_from(number).unwrap_or(i64::MAX))
                }
                (15 | 17, Value::Varint(number)) => {
                    attribute.integer((number >> 1) as i64 ^ -((number & 1) as i64))
                }
                (19, Value::Four(number)) => attribute.integer(number.into()),
                (21, Value::Eight(number)) => attribute.integer(i64::try_from(number).unwrap_or(i64::MAX)),
                (23, Value::Four(number)) => attribute.integer((number as i32).into()),
                (25, Value::Eight(number)) => attribute.integer(number as i64),
                (28, value) => attribute.flags(value.bytes())?,
                (29, value) => attribute.text = value.bytes(),
                _ => {}
            }
        }
        Ok(attribute)
    }

    fn real(&mut self, number: f64) {
        (self.number, self.whole) = (Some(number), Some(number as i64));
    }

    fn integer(&mut self, number: i64) {
        (self.number, self.whole) = (Some(number as f64), Some(number));
    }

    fn flags(&mut self, list: &[u8]) -> Result<(), NoMessage> {
        Fields::of(list).try_for_each(|field| match field? {
            (1, value) => numbers(value, |flag| self.flags.push(flag != 0)),
            _ => Ok(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the public schema: `comm_type` as int64, `involved_dim` as a list of booleans.
    #[test]
    fn attributes_of_any_type_are_read() {
        let node = b"\x08\x05\x12\x01n\x18\x07\x22\x02\x01\x02\x28\x03\x38\x09\
                     \x52\x0d\x0a\x09comm_type\x48\x06\
                     \x52\x0d\x0a\x09is_cpu_op\xd8\x01\x01";
        // A field number above 15 has a tag of two bytes: is_cpu_op is 14 bytes long.
        let mut bytes = node.to_vec();
        let at = bytes.len() - 15;
        bytes[at] = 0x0e;
        let mut dims = vec![0x52, 0x15, 0x0a, 0x0c];
        dims.extend_from_slice(b"involved_dim");
        dims.extend_from_slice(&[0xe2, 0x01, 4, 0x0a, 2, 1, 0]);
        bytes.extend_from_slice(&dims);
        let node = Node::decode(&bytes).unwrap();
        assert_eq!((node.id, node.name.as_str(), node.kind, node.micros), (5, "n", 7, 9));
        assert_eq!((node.control_dependencies, node.data_dependencies), (vec![1, 2], vec![3]));
        assert_eq!((node.attributes.comm_type, node.attributes.is_cpu_op), (Some(6), true));
        assert_eq!(node.attributes.involved_dim, [true, false]);
    }
}
