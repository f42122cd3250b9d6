//! Definitions against bytes that libotf2 3.0.2 has written, and back.

use proptest::prelude::*;

use super::*;

fn encode(definition: &Definition<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    definition.encode(&mut bytes);
    bytes
}

fn decode(bytes: &[u8]) -> Option<(Owned, String)> {
    Definition::decode(bytes[0], &bytes[2..], ByteOrder::Little).unwrap()
}

#[test]
fn definitions_are_as_libotf2_writes_them() {
    let group = Definition::Group {
        id: 1,
        name: 10,
        kind: GroupType::COMM_GROUP,
        paradigm: Paradigm::MPI,
        members: vec![0, 1],
    };
    let expected: [(Definition<'_>, &[u8]); 6] = [
        (Definition::Text { id: 2, text: "host-0" }, b"\x0a\x09\x01\x02host-0\x00"),
        (
            Definition::Location { id: 1, name: 5, kind: LocationType::CPU_THREAD, events: 7, group: 1 },
            b"\x0e\x09\x01\x01\x01\x05\x01\x01\x07\x01\x01",
        ),
        (
            Definition::LocationGroup { id: 1, name: 4, parent: 1 },
            b"\x0d\x08\x01\x01\x01\x04\x01\x01\x01\xff",
        ),
        (group, b"\x12\x0d\x01\x01\x01\x0a\x04\x01\x02\x00\x01\x01\x05\x04\x00"),
        (
            Definition::Comm { id: 0, name: 11, group: 1, parent: UNDEFINED },
            b"\x16\x07\x00\x01\x0b\x01\x01\xff\x00",
        ),
        (
            Definition::Region { id: 1, name: 7, role: Role::POINT_TO_POINT, paradigm: Paradigm::MPI },
            b"\x0f\x0e\x01\x01\x01\x07\x00\x00\x00\x00\x00\x01\x07\x1c\x04\x00",
        ),
    ];
    for (definition, bytes) in expected {
        assert_eq!(encode(&definition), bytes, "{definition:?}");
        if let Some((decoded, text)) = decode(bytes) {
            match definition {
                Definition::Text { text: expected, .. } => assert_eq!(text, expected),
                definition => assert_eq!(decoded, definition),
            }
        }
    }
}

#[test]
fn groups_of_old_archives_have_a_type() {
    let old = b"\x01\x01\x01\x0a\x06\x01\x02\x00\x01\x01";
    let Some((Definition::Group { kind, members, .. }, _)) =
        Definition::decode(GROUP, old, ByteOrder::Little).unwrap()
    else {
        panic!("a group");
    };
    assert_eq!((kind, members), (GroupType::COMM_LOCATIONS, vec![0, 1]));
}

#[test]
fn mappings_are_dense_or_sparse() {
    let dense = IdMap::decode(MAPPING_TABLE, b"\x03\x01\x02\x00\x01\x05\x00", ByteOrder::Little).unwrap();
    let (mapping, dense) = dense.unwrap();
    assert_eq!((mapping, dense.global(0), dense.global(1), dense.global(2)), (Mapping::REGION, 5, 0, 2));
    let sparse =
        IdMap::decode(MAPPING_TABLE, b"\x06\x01\x01\x01\x01\x09\x01\x02", ByteOrder::Little).unwrap();
    let (mapping, sparse) = sparse.unwrap();
    assert_eq!((mapping, sparse.global(9), sparse.global(0)), (Mapping::COMM, 2, 0));
}

proptest! {
    #[test]
    fn any_bytes_are_definitions_or_errors(kind: u8, bytes: Vec<u8>) {
        let _ = Definition::decode(kind, &bytes, ByteOrder::Little);
        let _ = IdMap::decode(MAPPING_TABLE, &bytes, ByteOrder::Big);
    }

    #[test]
    fn groups_come_back(id: u32, members: Vec<u64>) {
        let kind = GroupType::COMM_LOCATIONS;
        let group = Definition::Group { id, name: 0, kind, paradigm: Paradigm::MPI, members };
        let bytes = encode(&group);
        let start = if bytes[1] == 255 { 10 } else { 2 };
        let decoded = Definition::decode(bytes[0], &bytes[start..], ByteOrder::Little).unwrap();
        prop_assert_eq!(decoded.unwrap().0, group);
    }
}
