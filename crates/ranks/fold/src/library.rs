//! The shared libraries a program needs, loaded once for all ranks.

use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;

use crate::clib::stdio;
use crate::{Image, Refusal};

/// Loaded libraries, in the order the program names them.
pub struct Libraries {
    handles: Vec<*mut c_void>,
}

impl Libraries {
    /// Loads what the program names, except libraries for which `elsewhere` is true.
    ///
    /// C++ streams find their `FILE`s when their library is loaded; so standard output belongs to the ranks from here on.
    pub fn load(image: &Image, elsewhere: &dyn Fn(&str) -> bool) -> Result<Self, Refusal> {
        stdio::install();
        let mut libraries = Self { handles: Vec::new() };
        for name in image.needed().iter().filter(|name| !elsewhere(name)) {
            let handle =
                open(image, name).map_err(|reason| Refusal::Library { name: name.clone(), reason })?;
            libraries.handles.push(handle);
        }
        Ok(libraries)
    }

    /// The address of a symbol, of this version if the library knows versions.
    pub fn find(&self, name: &str, version: Option<&str>) -> Option<usize> {
        let name = CString::new(name).ok()?;
        let version = version.and_then(|version| CString::new(version).ok());
        let find = |handle: &*mut c_void| find(*handle, &name, version.as_deref());
        self.handles.iter().find_map(find).or_else(|| find(&libc::RTLD_DEFAULT))
    }
}

fn find(handle: *mut c_void, name: &CStr, version: Option<&CStr>) -> Option<usize> {
    // SAFETY: handles are never closed; both strings end in a zero.
    let found = unsafe {
        let found = version
            .map_or(std::ptr::null_mut(), |version| libc::dlvsym(handle, name.as_ptr(), version.as_ptr()));
        if found.is_null() { libc::dlsym(handle, name.as_ptr()) } else { found }
    };
    (!found.is_null()).then_some(found as usize)
}

/// Where the program says first, then where the system looks.
fn open(image: &Image, name: &str) -> Result<*mut c_void, String> {
    for path in places(image, name) {
        if path.exists() {
            return load(&path.to_string_lossy());
        }
    }
    load(name)
}

fn places(image: &Image, name: &str) -> Vec<PathBuf> {
    let origin = std::fs::canonicalize(image.path()).ok();
    let origin =
        origin.as_deref().and_then(|path| path.parent()).map(|path| path.to_string_lossy().into_owned());
    let origin = origin.unwrap_or_default();
    let directories =
        image.run_path().unwrap_or_default().split(':').filter(|directory| !directory.is_empty());
    let named = |directory: &str| directory.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
    directories.map(|directory| PathBuf::from(named(directory)).join(name)).collect()
}

fn load(name: &str) -> Result<*mut c_void, String> {
    let name = CString::new(name).map_err(|_| "its name has a zero in it".to_owned())?;
    // SAFETY: loading a library runs its constructors, which is what the program asks for.
    unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
        if !handle.is_null() {
            return Ok(handle);
        }
        let reason = libc::dlerror();
        Err(if reason.is_null() {
            String::new()
        } else {
            CStr::from_ptr(reason).to_string_lossy().into_owned()
        })
    }
}
