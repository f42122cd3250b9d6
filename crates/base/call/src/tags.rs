//! Tags that belong to the MPI library: those below zero, which no wildcard matches, and all in the communicators of windows.
//!
//! ```text
//!  -1 … -2^30                outlines of partitioned messages: -1 - the program's tag
//!  below, downwards          partitions
//!  -2^31 + 1, upwards        the making of inter-communicators, ports
//! ```

/// Tags of the program from which on there is no tag for an outline.
pub const OUTLINE_TAGS: i32 = 1 << 30;

/// In a window: the tag of notices that a rank exposes its memory (`MPI_Win_post`).
pub const WINDOW_POSTED: i32 = 1;
/// In a window: the tag of notices that accesses are complete (`MPI_Win_complete`).
pub const WINDOW_COMPLETE: i32 = 2;

/// The tag of the outline of partitioned messages with a tag of the program's, below [`OUTLINE_TAGS`].
pub const fn outline_tag(tag: i32) -> i32 {
    -1 - tag
}

/// Tags from which on upwards leaders of groups meet.
pub const FIRST_MEETING_TAG: i32 = i32::MIN + 1;

/// Do leaders of groups meet under a tag? (Partitions use these tags too if a rank has more than 2^29 of them.)
pub const fn is_meeting_tag(tag: i32) -> bool {
    tag < -OUTLINE_TAGS - OUTLINE_TAGS / 2
}

/// A tag as users know it.
pub fn tag_in_words(tag: i32) -> String {
    match tag {
        0.. => format!("tag {tag}"),
        outline if outline >= -OUTLINE_TAGS => format!("tag {}, partitioned", outline_tag(outline)),
        meeting if is_meeting_tag(meeting) => "a tag of the library".to_owned(),
        _ => "a partition".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_MEETING_TAG, OUTLINE_TAGS, outline_tag, tag_in_words};

    #[test]
    fn tags_of_outlines_are_shown_as_the_programs() {
        assert_eq!(tag_in_words(7), "tag 7");
        assert_eq!(tag_in_words(outline_tag(7)), "tag 7, partitioned");
        assert_eq!(tag_in_words(outline_tag(OUTLINE_TAGS - 1)), "tag 1073741823, partitioned");
        assert_eq!(tag_in_words(-OUTLINE_TAGS - 1), "a partition");
        assert_eq!(tag_in_words(FIRST_MEETING_TAG + 7), "a tag of the library");
    }
}
