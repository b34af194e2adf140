import { wordStarts } from '../../../model/words.ts'

const maxKeyLength = 256

/**
 * The normal form of a text for comparisons without case. It is truncated, because PostgreSQL
 * limits the size of an index entry, so equal keys do not prove equal texts.
 */
export const nameKey = (text: string): string => text.toLowerCase().slice(0, maxKeyLength)

/** The beginnings of the words of a name, each between spaces: ` j jo o of `. */
const wordStartsText = (name: string): string => ` ${wordStarts(name).join(' ')} `

/** The columns by which lists find an object by its name. */
export const nameKeys = ({ displayName }: { readonly displayName: string }) => ({
  name_key: nameKey(displayName),
  word_starts: wordStartsText(displayName),
})

/** A time as a stored text. */
export const text = (time: Date): string => time.toISOString()
/** A time as a stored text, or null. */
export const textOrNull = (time: Date | null): string | null => time && text(time)
/** The time of a stored text, or null. */
export const timeOrNull = (stored: string | null): Date | null =>
  stored === null ? null : new Date(stored)
