/** A literal begins in the place of a value: after an operator, an opening bracket or one of these words. */
const beforeValue = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of))$/

/** One token: a regular expression, or a token that can contain other slashes. */
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{))*|\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|[{}]/g

/**
 * The regular expressions that a TypeScript file writes as literals, in their order.
 *
 * Strings, comments and the texts of templates are skipped. The code is formatted by Biome, so a
 * slash for a division has blanks around it and no second one on its line.
 */
export function regexLiterals(code: string): string[] {
  const found: string[] = []
  // For each open brace: whether the text of a template continues after its closing brace.
  const braces: boolean[] = []
  let before = ''
  for (let index = 0; index < code.length; ) {
    tokens.lastIndex = index
    const match = tokens.exec(code)
    if (match === null) break
    const [token] = match
    before += code.slice(index, match.index).replace(/\s+/g, ' ')
    index = match.index + token.length
    const first = token[0]
    if (first === '{') braces.push(false)
    const goesOn = first === '}' && braces.pop() === true
    if (first === '`' || goesOn) {
      index = endOfTemplateText(code, match.index + 1)
      if (code[index] === '$') braces.push(true)
      before = code[index] === '$' ? '(' : ')'
      index += code[index] === '$' ? 2 : 1
    } else if (first === '/' && /^\/[/*]/.test(token)) continue
    else if (first === '/' && !beforeValue.test(before.trimEnd())) {
      index = match.index + 1
      before = '/'
    } else {
      if (first === '/') found.push(token)
      before = first === '{' || first === '}' ? first : ')'
    }
  }
  return found
}

/** Where the text of a template ends: at its last character, or where an expression begins. */
function endOfTemplateText(code: string, start: number): number {
  for (let index = start; index < code.length; index += 1) {
    if (code[index] === '\\') index += 1
    else if (code[index] === '`' || code.startsWith('${', index)) return index
  }
  return code.length
}
