//! Tags below zero, which belong to the MPI library: no wildcard matches them.
//!
//! ```text
//!  -1 … -2^30           outlines of partitioned messages: -1 - the program's tag
//!  below                partitions, and the making of inter-communicators
//! ```

/// Tags of the program from which on there is no tag for an outline.
pub const OUTLINE_TAGS: i32 = 1 << 30;

/// The tag of the outline of partitioned messages with a tag of the program's, below [`OUTLINE_TAGS`].
pub const fn outline_tag(tag: i32) -> i32 {
    -1 - tag
}

/// A tag as users know it.
pub fn tag_in_words(tag: i32) -> String {
    match tag {
        0.. => format!("tag {tag}"),
        outline if outline >= -OUTLINE_TAGS => format!("tag {}, partitioned", outline_tag(outline)),
        _ => "a tag of the library".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{OUTLINE_TAGS, outline_tag, tag_in_words};

    #[test]
    fn tags_of_outlines_are_shown_as_the_programs() {
        assert_eq!(tag_in_words(7), "tag 7");
        assert_eq!(tag_in_words(outline_tag(7)), "tag 7, partitioned");
        assert_eq!(tag_in_words(outline_tag(OUTLINE_TAGS - 1)), "tag 1073741823, partitioned");
        assert_eq!(tag_in_words(-OUTLINE_TAGS - 1), "a tag of the library");
    }
}
