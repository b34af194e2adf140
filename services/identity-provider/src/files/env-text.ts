// What a shell and every reader of dotenv files take as it stands, but for a tilde that a shell replaces.
const plain = /^[A-Za-z0-9_@%+=:,./~-]*$/
const replaced = /(?:^|[:=])~/

/**
 * Settings as a file that a shell can source: no value runs as a command. The greeting command has the
 * same rule for its own files; a wall stands between the two.
 *
 * @throws {Error} when no quotes hold a value.
 */
export const envText = (settings: NodeJS.Dict<string>): string =>
  Object.entries(settings).map(lineOf).join('')

function lineOf([name, value = '']: readonly [string, string | undefined]): string {
  if (plain.test(value) && !replaced.test(value)) return `${name}=${value}\n`
  if (!/['\r]/.test(value)) return `${name}='${value}'\n`
  if (!/["$`\\\r]/.test(value)) return `${name}="${value}"\n`
  throw new Error(`${name} cannot be written to a file of settings`)
}
