//! Components that take too long or too much to compile: who uploads one is told, and nobody else
//! waits for it.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use periapt_tests::{Answer, Home, assert_three_lines, charm};

/// A number as WebAssembly writes it.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], number(content.len()).as_slice(), content].concat()
}

/// A component that is one module of so many equal functions. It says nothing that a charm has to
/// say, which is found out once it is compiled.
fn component(functions: usize, function: &[u8]) -> Vec<u8> {
    let count = number(functions);
    let code = [number(function.len()).as_slice(), function].concat();
    let module = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, b"\x01\x60\x01\x7e\x01\x7e"),
        section(3, &[count.as_slice(), &vec![0; functions]].concat()),
        section(10, &[count.as_slice(), &code.repeat(functions)].concat()),
    ];
    [b"\0asm\x0d\0\x01\0".to_vec(), section(1, &module.concat())].concat()
}

/// Takes 20 s of a processor and not much memory.
fn slow_component(salt: u8) -> Vec<u8> {
    let step = [0x42, salt, 0x7e, 0x20, 0, 0x7c];
    component(
        16_000,
        &[&[0, 0x20, 0], step.repeat(200).as_slice(), &[0x0b]].concat(),
    )
}

/// Thousands of locals over thousands of blocks: 200 kB that take gigabytes to compile.
fn greedy_component() -> Vec<u8> {
    const LOCALS: usize = 3_000;
    let mut function = [vec![1], number(LOCALS), vec![0x7f]].concat();
    for block in 0..15_000 {
        let (from, to) = (
            number(block * 7 % LOCALS + 1),
            number(block * 13 % LOCALS + 1),
        );
        let parts: [&[u8]; 5] = [
            // block, local.get 0, i32.wrap_i64, br_if 0, local.get
            &[0x02, 0x40, 0x20, 0, 0xa7, 0x0d, 0, 0x20],
            &from,
            &[0x41, 7, 0x6a, 0x21],
            &to,
            &[0x0b],
        ];
        function.extend(parts.concat());
    }
    function.extend([0x20, 0, 0x0b]);
    component(1, &function)
}

fn pack(home: &Home, name: &str, component: &[u8]) -> Result<String> {
    let path = home.path().join(format!("{name}.charm"));
    let mut archive = zip::ZipWriter::new(fs::File::create(&path)?);
    // Code that repeats itself would be taken for a bomb if it were packed tightly.
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let metadata = format!("name: {name}\nsummary: slow\ndescription: slow\n");
    for (name, content) in [
        ("metadata.yaml", metadata.as_bytes()),
        ("charm.wasm", component),
    ] {
        archive.start_file(name, options)?;
        archive.write_all(content)?;
    }
    archive.finish()?;
    Ok(path.display().to_string())
}

/// Somebody else, who may write to the model `test`.
fn second_person(home: &Home) -> Result<impl Fn(&[&str]) -> Result<Answer>> {
    let command = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.env("PERIAPT_DATA", home.path().join("second"));
        command
    };
    let line = home.ok(["add-user", "bob"])?;
    let registration = line
        .trim()
        .strip_prefix("periapt register ")
        .context("a registration")?;
    let mut register = command(&["register", registration])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    register
        .stdin
        .take()
        .context("stdin")?
        .write_all(b"a password of bob\n")?;
    ensure!(register.wait()?.success());
    home.ok(["grant", "bob", "write", "test"])?;
    Ok(move |arguments: &[&str]| Ok(Answer::from(command(arguments).output()?)))
}

#[test]
fn an_upload_does_not_wait_behind_another_users_two() -> Result<()> {
    let home = Home::started()?;
    let bob = second_person(&home)?;
    // Packed before the first is on its way: on a busy machine that takes as long as a compilation.
    let files = [0, 1].map(|salt| pack(&home, &format!("slow{salt}"), &slow_component(salt)));
    let mut slow = Vec::new();
    for file in files {
        let file = file?;
        let mut deploy = home.command(["deploy", &file]);
        slow.push(
            deploy
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()?,
        );
    }
    // Both are on their way; one compiles.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let file = charm("site").display().to_string();
    let begun = Instant::now();
    let answer = bob(&["deploy", &file, "site", "-m", "test"])?;
    let took = begun.elapsed();
    ensure!(answer.code == 0, "{answer:?}");
    // The first may be over on a quick machine; whoever waits behind both finds both ended.
    let mut waits = false;
    for deploy in &mut slow {
        waits |= deploy.try_wait()?.is_none();
    }
    for deploy in slow {
        let answer = Answer::from(deploy.wait_with_output()?);
        ensure!(
            answer.code != 0 && answer.err.lines().count() >= 3,
            "{answer:?}"
        );
        ensure!(
            waits,
            "served after {took:?}, behind the slow ones: {answer:?}"
        );
    }
    Ok(())
}

#[test]
fn a_component_that_takes_too_much_to_compile_is_told_so() -> Result<()> {
    let home = Home::started()?;
    let file = pack(&home, "greedy", &greedy_component())?;
    let answer = home.periapt(["deploy", &file])?;
    // 2 is what the asker can mend, 1 would be the controller's fault.
    assert_three_lines(
        &answer,
        2,
        &["compiling the component took", "make the charm smaller"],
    );
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    Ok(())
}
