import { readFileSync } from 'node:fs'
import ts from 'typescript-5'

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
}

/** The language service of an editor that has one file of a project open. */
export class Editor {
  readonly #file: string
  readonly #service: ts.LanguageService
  #text = ''
  #version = 0

  constructor(file: string, folder: string) {
    this.#file = file
    const textOf = (name: string) => (name === file ? this.#text : ts.sys.readFile(name))
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => compilerOptions,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? String(this.#version) : '0'),
      getScriptSnapshot: (name) => {
        const text = textOf(name)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => name === file || ts.sys.fileExists(name),
      readFile: (name) => (name === file ? this.#text : readFileSync(name, 'utf8')),
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      realpath: ts.sys.realpath ?? ((name) => name),
    })
  }

  /** The names that an editor suggests at the end of a text, without those of `Object`. */
  namesAfter(text: string): readonly string[] {
    this.#write(text)
    const found = this.#service.getCompletionsAtPosition(this.#file, text.length, {})
    return (found?.entries ?? []).map(({ name }) => name)
  }

  /** The documentation that an editor shows when the pointer is over the end of a text. */
  documentationOf(text: string): string {
    this.#write(text)
    const info = this.#service.getQuickInfoAtPosition(this.#file, text.length - 1)
    return ts.displayPartsToString(info?.documentation)
  }

  #write(text: string): void {
    this.#text = text
    this.#version += 1
  }
}
