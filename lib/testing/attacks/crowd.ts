/**
 * Many connections that all send the same bytes, as a process of its own: `together.ts` starts it. Runs until its stdin
 * ends, then prints how many connections it has opened, and how many answers have come to their end.
 */
import { connect } from "node:net";

/** What the process is told, as JSON in its first argument. */
export interface Crowd {
  port: number;
  connections: number;
  /** What each connection sends once it is open. */
  request: string;
  /** Bytes of the answer that each connection reads in a second; null: all that come. */
  bytesASecond: number | null;
  /** The connection has its answer when this text has come; it is closed then. Null: it only waits. */
  end: string | null;
}

/** Before a connection is opened in the place of one that was closed, in milliseconds. */
const REOPEN_MS = 1_000;
/** A connection that reads slowly reads so often, in milliseconds. */
const SIP_MS = 1_000;

const { port, connections, request, bytesASecond, end } = JSON.parse(process.argv[2]!) as Crowd;
let opened = 0;
let ended = 0;

function open(): void {
  const socket = connect(port, "127.0.0.1", () => {
    opened++;
    socket.write(request);
  });
  // Being cut is what an attacker expects.
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
