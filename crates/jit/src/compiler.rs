//! The module with all code of a machine, and the table that says which address has code.

use std::marker::PhantomData;

use cranelift_codegen::ir::{AbiParam, InstBuilder as _, MemFlags, Signature, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, default_libcall_names};
use isaglot_semantics::Env;
use rustc_hash::FxHashMap;

use crate::access::Access;
use crate::enter::{self, Helpers, Outside};
use crate::limits::{LINKS, MAX_TRANSLATED};
use crate::region::{Common, write};
use crate::shape::{Extern, Layout, Region, RegisterFile};

/// An address that no code begins at.
const NONE: u64 = 1;

/// Which address has code: the guest's address, and that of the code.
type Links = Box<[[u64; 2]; LINKS]>;

/// Translates for one machine of the type `O`.
pub struct Compiler<O: Outside> {
    /// It is there but while it is made anew.
    module: Option<JITModule>,
    shims: Shims,
    links: Links,
    /// All code, of which the table has one of those that have the same place in it.
    all: FxHashMap<u64, u64>,
    env: Env,
    files: Vec<RegisterFile>,
    externs: Vec<Extern>,
    misaligned: u64,
    frontend: FunctionBuilderContext,
    /// Instructions that were translated.
    translated: usize,
    outside: PhantomData<fn(O)>,
}

fn text(e: impl std::fmt::Display) -> String {
    format!("cannot make machine code: {e}")
}

/// What a module has beside regions.
#[derive(Clone, Copy)]
struct Shims {
    /// What calls a region from outside.
    entry: *const u8,
    /// What a region calls where it cannot reach memory in place.
    access: Access,
}

/// An empty module, and its shims.
fn module(helpers: &Helpers, layout: &Layout) -> Result<(JITModule, Shims), String> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("preserve_frame_pointers", "true"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ] {
        flags.set(name, value).map_err(text)?;
    }
    let isa = cranelift_native::builder().map_err(text)?.finish(settings::Flags::new(flags)).map_err(text)?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let outside = module.isa().default_call_conv();
    let entry = shim(&mut module, "entry", signature(outside, 3), &|f, arguments| {
        let &[machine, allowed, code] = arguments else { return Vec::new() };
        let region = f.import_signature(signature(CallConv::Tail, 2));
        let call = f.ins().call_indirect(region, code, &[machine, allowed]);
        f.inst_results(call).to_vec()
    })?;
    let access = |module: &mut JITModule, helper: u64, is_load: bool| -> Result<[FuncId; 4], String> {
        let mut one = |bytes: i64| {
            shim(module, &format!("access.{is_load}.{bytes}"), quiet(1), &|f, arguments| {
                let &[machine] = arguments else { return Vec::new() };
                let callee = f.ins().iconst(types::I64, helper as i64);
                let bytes = f.ins().iconst(types::I64, bytes);
                let mut told = |at: usize| f.ins().load(types::I64, MemFlags::trusted(), machine, at as i32);
                let mut all = vec![machine, told(layout.address), bytes];
                if !is_load {
                    all.push(told(layout.value));
                }
                let called = f.import_signature(signature(outside, all.len()));
                let call = f.ins().call_indirect(called, callee, &all);
                let result = if is_load { layout.value } else { layout.failed };
                if let Some(&given) = f.inst_results(call).first() {
                    f.ins().store(MemFlags::trusted(), given, machine, result as i32);
                }
                Vec::new()
            })
        };
        let [byte, half, word, double] = [1, 2, 4, 8].map(&mut one);
        Ok([byte?, half?, word?, double?])
    };
    let loads = access(&mut module, helpers.load, true)?;
    let stores = access(&mut module, helpers.store, false)?;
    module.finalize_definitions().map_err(text)?;
    let address = |id| module.get_finalized_function(id) as usize as u64;
    let access = Access { loads: loads.map(address), stores: stores.map(address) };
    let entry = module.get_finalized_function(entry);
    Ok((module, Shims { entry, access }))
}

/// Adds a function of one block.
fn shim(
    module: &mut JITModule,
    name: &str,
    signature: Signature,
    body: &dyn Fn(&mut FunctionBuilder<'_>, &[Value]) -> Vec<Value>,
) -> Result<FuncId, String> {
    let mut context = module.make_context();
    context.func.signature = signature;
    let id = module.declare_function(name, Linkage::Local, &context.func.signature).map_err(text)?;
    let mut frontend = FunctionBuilderContext::new();
    let mut f = FunctionBuilder::new(&mut context.func, &mut frontend);
    let block = f.create_block();
    f.append_block_params_for_function_params(block);
    f.switch_to_block(block);
    let arguments = f.block_params(block).to_vec();
    let results = body(&mut f, &arguments);
    f.ins().return_(&results);
    f.seal_all_blocks();
    f.finalize();
    module.define_function(id, &mut context).map_err(text)?;
    Ok(id)
}

/// So many double words, and one back.
fn signature(convention: CallConv, arguments: usize) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params = vec![AbiParam::new(types::I64); arguments];
    signature.returns = vec![AbiParam::new(types::I64)];
    signature
}

/// So many double words; nothing comes back, and all registers are as they were.
fn quiet(arguments: usize) -> Signature {
    Signature { returns: Vec::new(), ..signature(CallConv::PreserveAll, arguments) }
}

impl<O: Outside> Compiler<O> {
    /// For a description's environment, whose register files and externs the machine has so, and `more` externs after these; a program may jump to addresses that are multiples of 4, or
    /// of 2 with `compressed`.
    ///
    /// # Errors
    /// A sentence, if there is no code for this host.
    pub fn new(
        env: Env,
        files: Vec<RegisterFile>,
        externs: &dyn Fn(&str) -> Extern,
        more: &[Extern],
        compressed: bool,
    ) -> Result<Compiler<O>, String> {
        let (module, shims) = module(&Helpers::of::<O>(), &O::LAYOUT)?;
        let externs = env.externs().iter().map(|e| externs(&e.name)).chain(more.iter().copied()).collect();
        Ok(Compiler {
            module: Some(module),
            shims,
            links: Box::new([[NONE, 0]; LINKS]),
            all: FxHashMap::default(),
            env,
            files,
            externs,
            misaligned: if compressed { 0 } else { 2 },
            frontend: FunctionBuilderContext::new(),
            translated: 0,
            outside: PhantomData,
        })
    }

    /// What names mean.
    pub fn environment(&self) -> &Env {
        &self.env
    }

    /// The register files.
    pub fn files(&self) -> &[RegisterFile] {
        &self.files
    }

    /// The externs, by their number.
    pub fn externs(&self) -> &[Extern] {
        &self.externs
    }

    fn place(pc: u64) -> usize {
        (pc >> 1) as usize % LINKS
    }

    /// Whether the table of links has code that begins at an address.
    #[inline(always)]
    pub fn has(&self, pc: u64) -> bool {
        self.links[Self::place(pc)][0] == pc
    }

    /// Whether there is code that begins at an address, which is in the table then.
    pub fn find(&mut self, pc: u64) -> bool {
        let Some(&code) = self.all.get(&pc) else { return false };
        self.links[Self::place(pc)] = [pc, code];
        true
    }

    /// Whether anything was translated.
    pub fn is_used(&self) -> bool {
        self.translated > 0
    }

    /// Whether so much was translated that it is time to forget.
    pub fn is_full(&self) -> bool {
        self.translated >= MAX_TRANSLATED
    }

    /// Translates a region. The code is entered at its first block.
    ///
    /// # Errors
    /// A sentence, if Cranelift refuses it.
    pub fn add(&mut self, region: &Region<'_>) -> Result<(), String> {
        let Some(start) = region.blocks.iter().find(|b| !b.code.is_empty()).map(|b| b.start) else {
            return Err(text("it is empty"));
        };
        let Some(module) = &mut self.module else { return Err(text("there is no module")) };
        let outside = module.isa().default_call_conv();
        let common = Common {
            env: &self.env,
            files: &self.files,
            externs: &self.externs,
            layout: O::LAYOUT,
            helpers: Helpers::of::<O>(),
            access: self.shims.access,
            links: self.links.as_ptr() as usize as u64,
            misaligned: self.misaligned,
            signatures: [signature(CallConv::Tail, 2), quiet(1), signature(outside, 3), signature(outside, 6)],
        };
        let mut context = module.make_context();
        context.func.signature = signature(CallConv::Tail, 2);
        let id = module.declare_anonymous_function(&context.func.signature).map_err(text)?;
        write(FunctionBuilder::new(&mut context.func, &mut self.frontend), &common, region);
        module.define_function(id, &mut context).map_err(|e| text(format!("{e:?}")))?;
        module.finalize_definitions().map_err(text)?;
        let code = module.get_finalized_function(id) as usize as u64;
        self.links[Self::place(start)] = [start, code];
        self.all.insert(start, code);
        self.translated += region.blocks.iter().map(|b| b.code.len()).sum::<usize>();
        Ok(())
    }

    /// Forgets all code.
    ///
    /// # Errors
    /// A sentence, if there is no place for new code.
    pub fn clear(&mut self) -> Result<(), String> {
        self.links.fill([NONE, 0]);
        self.all.clear();
        if self.translated > 0 {
            let (new, shims) = module(&Helpers::of::<O>(), &O::LAYOUT)?;
            if let Some(old) = self.module.replace(new) {
                enter::free(old);
            }
            (self.shims, self.translated) = (shims, 0);
        }
        Ok(())
    }

    /// Runs the code of an address, for as many instructions as are allowed; gives how many of these are left. The machine says where it goes on.
    /// Does nothing if there is no code.
    pub fn enter(&self, pc: u64, outside: &mut O, allowed: u64) -> u64 {
        let [known, code] = self.links[Self::place(pc)];
        if known == pc { enter::enter(self.shims.entry, code, outside, allowed) } else { allowed }
    }
}

impl<O: Outside> Drop for Compiler<O> {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            enter::free(module);
        }
    }
}
