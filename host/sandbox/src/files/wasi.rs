//! `wasi:filesystem` for charms: wasmtime-wasi's, behind handles that become what they stand for
//! when they are used.
//!
//! Each function says first whether it [reads](View::reads) or [may change](View::changes)
//! something, and then does what wasmtime-wasi does. One that said it wrongly could not harm the
//! committed files of a unit, whose handles do not allow any change; the guest would be refused.

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::filesystem::WasiFilesystemCtxView;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry,
    DirectoryEntryStream, ErrorCode, Filesize, Host, HostDescriptor, HostDirectoryEntryStream,
    MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::bindings::filesystem::{preopens, types};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::Mounted;
use crate::clocks::STEP;
use crate::failure::HookFailure;
use crate::world::HookState;

/// Puts these functions in the place of wasmtime-wasi's.
pub(crate) fn link(linker: &mut Linker<HookState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    preopens::add_to_linker::<_, HasView>(linker, HookState::files)?;
    types::add_to_linker::<_, HasView>(linker, HookState::files)?;
    linker.allow_shadowing(false);
    Ok(())
}

struct HasView;

impl HasData for HasView {
    type Data<'a> = View<'a>;
}

/// The files of one running hook.
pub(crate) struct View<'a> {
    pub(crate) wasi: WasiFilesystemCtxView<'a>,
    /// None where there are no directories.
    pub(crate) mounted: Option<&'a mut Mounted>,
    pub(crate) stopped: &'a mut Option<HookFailure>,
}

type Handle = Resource<Descriptor>;

impl View<'_> {
    fn reads(&mut self, handle: &Handle) -> wasmtime::Result<()> {
        self.ready(|mounted, wasi| mounted.read(wasi.table, handle.rep()))
    }

    fn changes(&mut self, handle: &Handle) -> wasmtime::Result<()> {
        self.ready(|mounted, wasi| mounted.change(wasi.table, handle.rep()))
    }

    fn ready(
        &mut self,
        make: impl FnOnce(&mut Mounted, &mut WasiFilesystemCtxView<'_>) -> Result<(), HookFailure>,
    ) -> wasmtime::Result<()> {
        let Some(mounted) = self.mounted.as_deref_mut() else {
            return Ok(());
        };
        make(mounted, &mut self.wasi).map_err(|failure| stop(self.stopped, failure))
    }

    /// Says that something may have changed.
    fn changed(&self) {
        if let Some(mounted) = &self.mounted {
            mounted.changed();
        }
    }

    /// Says so of one step in a directory, which was taken or not.
    fn stepped<R>(&self, step: FsResult<R>) -> FsResult<R> {
        if step.is_ok() {
            self.changed();
        }
        step
    }

    fn is_committed(&self, handle: &Handle) -> bool {
        let mounted = self.mounted.as_deref();
        mounted.is_some_and(|mounted| mounted.is_committed(handle.rep()))
    }
}

fn stop(stopped: &mut Option<HookFailure>, failure: HookFailure) -> wasmtime::Error {
    let error = wasmtime::Error::msg(failure.to_string());
    stopped.get_or_insert(failure);
    error
}

/// When a committed file was last read is nothing for guests: a hook that failed could tell the
/// next one something by it.
fn without_access(stat: DescriptorStat) -> DescriptorStat {
    DescriptorStat {
        data_access_timestamp: stat.data_modification_timestamp,
        ..stat
    }
}

/// Times of files are the kernel's, and finer than the clocks of guests.
fn in_steps(mut stat: DescriptorStat) -> DescriptorStat {
    let times = [
        &mut stat.data_access_timestamp,
        &mut stat.data_modification_timestamp,
        &mut stat.status_change_timestamp,
    ];
    for time in times.into_iter().flatten() {
        time.nanoseconds -= time.nanoseconds % STEP.subsec_nanos();
    }
    stat
}

impl preopens::Host for View<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Handle, String)>> {
        let Some(mounted) = self.mounted.as_deref_mut() else {
            return Ok(Vec::new());
        };
        let promised = mounted.promise(self.wasi.table);
        promised.map_err(|failure| stop(self.stopped, failure))
    }
}

impl Host for View<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        self.wasi.convert_error_code(error)
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        self.wasi.filesystem_error_code(error)
    }
}

impl HostDescriptor for View<'_> {
    // What a handle is, is known before it is opened.

    async fn get_flags(&mut self, fd: Handle) -> FsResult<DescriptorFlags> {
        self.wasi.get_flags(fd).await
    }

    async fn get_type(&mut self, fd: Handle) -> FsResult<DescriptorType> {
        self.wasi.get_type(fd).await
    }

    fn drop(&mut self, fd: Handle) -> wasmtime::Result<()> {
        if let Some(mounted) = self.mounted.as_deref_mut() {
            mounted.dropped(fd.rep());
        }
        HostDescriptor::drop(&mut self.wasi, fd)
    }

    // These read.

    async fn advise(
        &mut self,
        fd: Handle,
        offset: Filesize,
        length: Filesize,
        advice: Advice,
    ) -> FsResult<()> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.advise(fd, offset, length, advice).await
    }

    async fn sync_data(&mut self, fd: Handle) -> FsResult<()> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.sync_data(fd).await
    }

    async fn sync(&mut self, fd: Handle) -> FsResult<()> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.sync(fd).await
    }

    async fn read(
        &mut self,
        fd: Handle,
        length: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.read(fd, length, offset).await
    }

    fn read_via_stream(
        &mut self,
        fd: Handle,
        offset: Filesize,
    ) -> FsResult<Resource<DynInputStream>> {
        self.reads(&fd).map_err(FsError::trap)?;
        if self.is_committed(&fd)
            && let Some(mounted) = self.mounted.as_deref_mut()
            && let Descriptor::File(file) = self.wasi.table.get(&fd)?
        {
            let stream = mounted.stream(file.file.clone(), offset);
            let stream: DynInputStream = Box::new(stream);
            return Ok(self.wasi.table.push(stream)?);
        }
        self.wasi.read_via_stream(fd, offset)
    }

    async fn read_directory(&mut self, fd: Handle) -> FsResult<Resource<DirectoryEntryStream>> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.read_directory(fd).await
    }

    async fn stat(&mut self, fd: Handle) -> FsResult<DescriptorStat> {
        self.reads(&fd).map_err(FsError::trap)?;
        let committed = self.is_committed(&fd);
        let stat = in_steps(self.wasi.stat(fd).await?);
        match committed {
            true => Ok(without_access(stat)),
            false => Ok(stat),
        }
    }

    async fn stat_at(
        &mut self,
        fd: Handle,
        flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        self.reads(&fd).map_err(FsError::trap)?;
        let committed = self.is_committed(&fd);
        let stat = in_steps(self.wasi.stat_at(fd, flags, path).await?);
        match committed {
            true => Ok(without_access(stat)),
            false => Ok(stat),
        }
    }

    async fn readlink_at(&mut self, fd: Handle, path: String) -> FsResult<String> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.readlink_at(fd, path).await
    }

    async fn is_same_object(&mut self, one: Handle, other: Handle) -> wasmtime::Result<bool> {
        self.reads(&one)?;
        self.reads(&other)?;
        self.wasi.is_same_object(one, other).await
    }

    async fn metadata_hash(&mut self, fd: Handle) -> FsResult<MetadataHashValue> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.metadata_hash(fd).await
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Handle,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        self.reads(&fd).map_err(FsError::trap)?;
        self.wasi.metadata_hash_at(fd, flags, path).await
    }

    // This does one or the other.

    async fn open_at(
        &mut self,
        fd: Handle,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Handle> {
        let beneath = fd.rep();
        let reading = DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY;
        let only_reads =
            open_flags | OpenFlags::DIRECTORY == OpenFlags::DIRECTORY && flags | reading == reading;
        if only_reads {
            self.reads(&fd).map_err(FsError::trap)?;
        } else {
            self.changes(&fd).map_err(FsError::trap)?;
            self.changed();
        }
        let opened = self
            .wasi
            .open_at(fd, path_flags, path, open_flags, flags)
            .await?;
        if let Some(mounted) = self.mounted.as_deref_mut() {
            mounted.opened(beneath, opened.rep());
        }
        Ok(opened)
    }

    // These change files. One that fails may have changed something.

    async fn set_size(&mut self, fd: Handle, size: Filesize) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changed();
        self.wasi.set_size(fd, size).await
    }

    async fn set_times(
        &mut self,
        fd: Handle,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changed();
        self.wasi.set_times(fd, accessed, modified).await
    }

    async fn write(&mut self, fd: Handle, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changed();
        self.wasi.write(fd, bytes, offset).await
    }

    fn write_via_stream(
        &mut self,
        fd: Handle,
        offset: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changed();
        self.wasi.write_via_stream(fd, offset)
    }

    fn append_via_stream(&mut self, fd: Handle) -> FsResult<Resource<DynOutputStream>> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changed();
        self.wasi.append_via_stream(fd)
    }

    async fn set_times_at(
        &mut self,
        fd: Handle,
        flags: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changed();
        self.wasi
            .set_times_at(fd, flags, path, accessed, modified)
            .await
    }

    // These change directories, in one step.

    async fn create_directory_at(&mut self, fd: Handle, path: String) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        let step = self.wasi.create_directory_at(fd, path).await;
        self.stepped(step)
    }

    async fn remove_directory_at(&mut self, fd: Handle, path: String) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        let step = self.wasi.remove_directory_at(fd, path).await;
        self.stepped(step)
    }

    async fn unlink_file_at(&mut self, fd: Handle, path: String) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        let step = self.wasi.unlink_file_at(fd, path).await;
        self.stepped(step)
    }

    async fn symlink_at(&mut self, fd: Handle, content: String, path: String) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        let step = self.wasi.symlink_at(fd, content, path).await;
        self.stepped(step)
    }

    async fn link_at(
        &mut self,
        fd: Handle,
        flags: PathFlags,
        path: String,
        new: Handle,
        new_path: String,
    ) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changes(&new).map_err(FsError::trap)?;
        let step = self.wasi.link_at(fd, flags, path, new, new_path).await;
        self.stepped(step)
    }

    async fn rename_at(
        &mut self,
        fd: Handle,
        path: String,
        new: Handle,
        new_path: String,
    ) -> FsResult<()> {
        self.changes(&fd).map_err(FsError::trap)?;
        self.changes(&new).map_err(FsError::trap)?;
        let step = self.wasi.rename_at(fd, path, new, new_path).await;
        self.stepped(step)
    }
}

impl HostDirectoryEntryStream for View<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        self.wasi.read_directory_entry(stream).await
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        HostDirectoryEntryStream::drop(&mut self.wasi, stream)
    }
}
