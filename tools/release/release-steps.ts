/** The tools of a release's steps. A test replaces them. */
export type ReleaseTools<Package extends { readonly name: string }> = {
  /** Runs a script of the root manifest, and throws with its output when it fails. */
  readonly runScript: (script: string) => void
  readonly build: () => Promise<readonly Package[]>
  /** Packs into an empty folder, and returns the names of the tarballs with their sizes in bytes. */
  readonly pack: (packages: readonly Package[]) => ReadonlyMap<string, number>
  /** Writes the CycloneDX list of an installation of the package, and returns its file name. */
  readonly writeBill: (name: string) => string
  /** Writes the command as one file for each platform, and returns their names. */
  readonly writeExecutables: () => readonly string[]
  readonly progress: (line: string) => void
  readonly print: (line: string) => void
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KB`

/**
 * Prepares a release, and prints what the workflow would publish. It publishes nothing.
 *
 * @throws {Error} of the first step that fails; later steps do not run
 */
export async function prepareRelease<Package extends { readonly name: string }>(
  tools: ReleaseTools<Package>,
): Promise<void> {
  tools.progress('1/6 check')
  tools.runScript('check')
  tools.progress('2/6 build and pack')
  const packages = await tools.build()
  const tarballs = tools.pack(packages)
  tools.progress('3/6 verify the tarballs')
  tools.runScript('test:packages')
  tools.progress('4/6 list the contents as CycloneDX')
  const bills = packages.map(({ name }) => tools.writeBill(name))
  tools.progress('5/6 write the executables')
  const executables = tools.writeExecutables()
  tools.progress('6/6 nothing is published. The release workflow would stage:')
  for (const [file, bytes] of tarballs)
    tools.print(`npm stage publish ${file} --access public --provenance  (${kilobytes(bytes)})`)
  for (const file of [...bills, ...executables]) tools.print(`upload ${file}`)
}
