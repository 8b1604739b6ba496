use super::*;

#[test]
fn shared_storage_is_one_place_under_three_names() {
    let mut fs = Vfs::new();
    fs.set_now(1_772_442_000);
    fs.as_shell().write("/sdcard/a.txt", b"hello".to_vec()).unwrap();
    assert_eq!(&*fs.read("/storage/emulated/0/a.txt").unwrap(), b"hello");
    assert_eq!(&*fs.read("/mnt/sdcard/./x/../a.txt").unwrap(), b"hello");
    assert_eq!(fs.resolve("/sdcard/a.txt", Last::Follow).unwrap(), "/storage/emulated/0/a.txt");
    let node = fs.stat("/sdcard/a.txt").unwrap();
    assert_eq!((node.st_mode(), node.mtime), (0o100660, 1_772_442_000));
}

#[test]
fn the_shell_user_has_its_limits() {
    let mut fs = Vfs::new();
    let mut sh = fs.as_shell();
    assert_eq!(sh.write("/system/x", vec![]), Err(FsError::ReadOnly));
    assert_eq!(sh.write("/x", vec![]), Err(FsError::ReadOnly));
    assert_eq!(sh.write("/data/x", vec![]), Err(FsError::Denied));
    assert_eq!(sh.list("/data").unwrap_err(), FsError::Denied);
    assert_eq!(sh.write("/sdcard/none/x", vec![]), Err(FsError::NotFound));
    assert_eq!(sh.write(&format!("/sdcard/{}", "n".repeat(256)), vec![]), Err(FsError::NameTooLong));
    sh.write("/data/local/tmp/x", vec![1]).unwrap();
    assert_eq!(sh.remove("/data/local/tmp/y"), Err(FsError::NotFound));
    assert!(sh.list("/data/local/tmp").unwrap().iter().any(|(n, _)| n == "x"));
    sh.write("/dev/null", vec![1, 2]).unwrap();
    assert_eq!(fs.read("/dev/null").unwrap().len(), 0);
}

#[test]
fn a_full_phone_and_links_that_chase_their_tail_are_refused() {
    let mut fs = Vfs::new();
    let used = fs.room().used;
    fs.set_capacity(used + 10);
    fs.write("/sdcard/a", vec![0; 10]).unwrap();
    assert_eq!(fs.write("/sdcard/b", vec![0; 1]), Err(FsError::NoSpace));
    fs.write("/sdcard/a", vec![0; 4]).unwrap();
    fs.write("/sdcard/b", vec![0; 6]).unwrap();
    fs.remove("/sdcard/a").unwrap();
    assert_eq!(fs.room().used, used + 6);
    let mut fs = Vfs::new();
    fs.link("/data/local/tmp/b", "/data/local/tmp/a").unwrap();
    fs.link("/data/local/tmp/a", "/data/local/tmp/b").unwrap();
    assert_eq!(fs.stat("/data/local/tmp/a").unwrap_err(), FsError::Loop);
    assert!(fs.lstat("/data/local/tmp/a").is_ok());
}

#[test]
fn directories_move_and_go_with_what_they_hold() {
    let mut fs = Vfs::new();
    fs.mkdir_all("/sdcard/a/b/c").unwrap();
    fs.write("/sdcard/a/b/f", vec![1]).unwrap();
    assert_eq!(fs.rename("/sdcard/a", "/sdcard/a/b/d"), Err(FsError::Invalid));
    fs.rename("/sdcard/a", "/sdcard/z").unwrap();
    assert!(!fs.exists("/sdcard/a/b/f"));
    assert_eq!(&*fs.read("/sdcard/z/b/f").unwrap(), &[1]);
    let names: Vec<String> = fs.list("/sdcard/z/b").unwrap().into_iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["c", "f"]);
    fs.remove_all("/sdcard/z").unwrap();
    assert_eq!(fs.stat("/sdcard/z").unwrap_err(), FsError::NotFound);
}
