/** The primes whose residues identify the flawed generator. */
const primes = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101,
  103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
]

/**
 * True if an RSA modulus has the structure of the primes of Infineon's RSALib
 * (k * M + 65537^a mod M). Such a modulus can be factored.
 *
 * Every residue of such a modulus is a power of 65537. For any other modulus the probability of this
 * is about 2^-27.
 *
 * @see CVE-2017-15361
 */
export function isRoca(modulus: bigint): boolean {
  return primes.every((prime) => isPowerOf65537(Number(modulus % BigInt(prime)), prime))
}

function isPowerOf65537(residue: number, prime: number): boolean {
  let power = 1
  do {
    if (power === residue) return true
    power = (power * 65537) % prime
  } while (power !== 1)
  return false
}
