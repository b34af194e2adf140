// Characters that a shell and every dotenv reader accept without quotes, except a leading tilde.
const plain = /^[A-Za-z0-9_@%+=:,./~-]*$/
const replaced = /(?:^|[:=])~/

/**
 * Formats settings as a file that a shell can source. No value runs as a command. The greeting
 * command has a copy of this rule, because the two may not import each other.
 *
 * @throws {Error} when no kind of quotes can contain a value.
 */
export const envText = (settings: NodeJS.Dict<string>): string =>
  Object.entries(settings).map(lineOf).join('')

function lineOf([name, value = '']: readonly [string, string | undefined]): string {
  if (plain.test(value) && !replaced.test(value)) return `${name}=${value}\n`
  if (!/['\r]/.test(value)) return `${name}='${value}'\n`
  if (!/["$`\\\r]/.test(value)) return `${name}="${value}"\n`
  throw new Error(`${name} cannot be written to a settings file`)
}
