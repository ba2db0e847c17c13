// What wasm_exec.js and the program in WebAssembly define.
declare const Go: any;
declare const fs: any;
declare function answer(id: number, action: string, text: string): void;
