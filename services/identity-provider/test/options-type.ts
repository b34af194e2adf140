import { defaultOf, type SettingSchema } from '../../../test/fixtures/service-reference.ts'
import { settingSchemas } from '../src/startup/settings.ts'
import {
  defaultOptions,
  optionNameOf,
  settingByOption,
} from '../src/startup/start-identity-provider.ts'

const unitOf = (option: string) =>
  /(Milliseconds|Seconds|Minutes|Hours|Days|Bytes)$/.exec(option)?.[1]?.toLowerCase()

/** A text with options in place of settings, and without links. */
const withOptions = (text: string) =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/(?<=[`{])[A-Z][A-Z0-9_]+(?=[`=}])/g, (name) =>
      name in settingSchemas ? optionNameOf(name) : name,
    )

/** The meaning of a setting, and its unit, form and default where that does not tell them. */
function textOf(option: string, schema: SettingSchema): string {
  const meaning = withOptions(String(schema.meta()?.description))
  const [, form = ''] =
    /^expected (.*\d.*)$/.exec(schema.safeParse('\0').error?.issues[0]?.message ?? '') ?? []
  const said = meaning.replaceAll(',', '')
  const isFormSaid = [...form.matchAll(/\d+/g)].every(([number]) => said.includes(number))
  const unit = unitOf(option)
  const own = (defaultOptions as Readonly<Record<string, unknown>>)[option]
  const details = [
    unit === undefined ? [] : `in ${unit}`,
    isFormSaid ? [] : form,
    `by default ${own === undefined ? withOptions(defaultOf(schema)) : `\`${own}\``}`,
  ].flat()
  return [...meaning.split('; '), details.join(', ')]
    .map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`)
    .join(' ')
}

/** The lines of a comment, each at most 100 characters. */
function commentOf(text: string): string {
  const lines = text.match(/.{1,94}(?= |$)/g) ?? []
  if (lines.length === 1 && text.length < 91) return `  /** ${text} */\n`
  return `  /**\n${lines.map((line) => `   * ${line.trim()}\n`).join('')}   */\n`
}

const members = [...settingByOption].map(([option, name]) => {
  const schema = settingSchemas[name as keyof typeof settingSchemas] as unknown as SettingSchema
  return `${commentOf(textOf(option, schema))}  readonly ${option}?: SettingsInput['${name}']\n`
})

/** The path of the file with the type, from the root of the repository. */
export const file = 'services/identity-provider/src/startup/identity-provider-options.ts'

/** The text of the file, generated from the settings schemas. */
export const text = `// Generated from the schemas of the settings: npm run generate.

import type { SettingsInput } from './settings.ts'

/**
 * The settings of the identity provider, in camel case: \`DATA_DIR\` is \`dataDir\`. Those of traces and \`REUSE_PORT\`
 * are missing, because they belong to a dedicated process.
 */
export type IdentityProviderOptions = {
${members.join('')}}
`
