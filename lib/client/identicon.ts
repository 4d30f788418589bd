/** A symmetric pattern of 5×5 squares, as [column, row]. It depends on the id, because names can be imitated. */
export function identicon(id: string): [number, number][] {
  const bits = hashText(`${id}#`);
  const squares: [number, number][] = [];
  for (let row = 0; row < 5; row += 1) {
    for (let column = 0; column < 3; column += 1) {
      if ((bits >>> (row * 3 + column)) & 1) {
        squares.push([column, row]);
        if (column < 2) squares.push([4 - column, row]);
      }
    }
  }
  return squares;
}

/** FNV-1a with a final mix, so that the last digit affects every bit. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
