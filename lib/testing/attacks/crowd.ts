/**
 * Many connections that all send the same bytes, as a process of its own: `together.ts` starts it. Runs until its stdin
 * ends, then prints the numbers of opened connections and of complete responses.
 */
import { connect } from "node:net";

/** The process's settings, as JSON in its first argument. */
export interface Crowd {
  port: number;
  connections: number;
  /** Text that each connection sends when it opens. */
  request: string;
  /** Bytes per second that each connection reads; null for no limit. */
  bytesASecond: number | null;
  /** Text at which the response is complete and the connection closes. Null waits forever. */
  end: string | null;
}

/** Delay before a closed connection is replaced, in milliseconds. */
const REOPEN_MS = 1_000;
/** Interval between reads of a slow connection, in milliseconds. */
const SIP_MS = 1_000;

const { port, connections, request, bytesASecond, end } = JSON.parse(process.argv[2]!) as Crowd;
let opened = 0;
let ended = 0;

function open(): void {
  const socket = connect(port, "127.0.0.1", () => {
    opened++;
    socket.write(request);
  });
  // An attacker expects its connections to be cut.
  socket.on("error", () => {}).once("close", () => setTimeout(open, REOPEN_MS));
  if (bytesASecond !== null) {
    const sips = setInterval(() => socket.read(bytesASecond) ?? socket.read(), SIP_MS);
    socket.on("readable", () => {}).once("close", () => clearInterval(sips));
    return;
  }
  let last = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    if (end === null) return;
    last = (last + text).slice(-text.length - end.length);
    if (!last.includes(end)) return;
    ended++;
    socket.destroy();
  });
}

for (let i = 0; i < connections; i++) open();
process.stdin.resume().once("end", () => {
  console.log(`${opened} connections opened, ${ended} answers read`);
  process.exit();
});
