/** The documented proxies, in front of two servers, with a certificate of their own. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Debian has it outside of the PATH of ordinary users. */
export const NGINX = "/usr/sbin/nginx";

/** The host name of the documented sites. */
export const HOST = "assets.example";

/** Makes a key and a certificate for the host; returns their files. */
function certify(folder: string): [key: string, certificate: string] {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
  const names = ["-subj", `/CN=${HOST}`, "-keyout", key, "-out", certificate];
  execFileSync("openssl", [...options.split(" "), ...names], { stdio: "ignore" });
  return [key, certificate];
}

/** Runs a proxy in the foreground; returns what stops it. */
function run(command: string, words: string[], environment: Record<string, string> = {}) {
  const proxy = spawn(command, words, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
  });
  process.once("exit", () => proxy.kill("SIGTERM"));
  const ended = once(proxy, "exit");
  return async () => {
    proxy.kill("SIGTERM");
    await ended;
  };
}

/**
 * Runs Debian's nginx with the documented site on these ports. Its log is `error.log` in the folder.
 * @param perSecond requests that one client may send, instead of the documented number
 */
export async function startNginx(
  folder: string,
  port: number,
  upstreams: [number, number],
  perSecond?: number,
) {
  const [key, certificate] = certify(folder);
  const site = readFileSync("deploy/nginx.conf", "utf8")
    .replace("127.0.0.1:3000", `127.0.0.1:${upstreams[0]}`)
    .replace("127.0.0.1:3001", `127.0.0.1:${upstreams[1]}`)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace(/rate=\d+/, perSecond === undefined ? "$&" : `rate=${perSecond}`)
    .replace("/etc/ssl/assets.example.pem", certificate)
    .replace("/etc/ssl/private/assets.example.key", key);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(join(folder, "temp"), { recursive: true });
  const temporary = paths.map((name) => `${name}_temp_path ${join(folder, "temp", name)};`).join("\n");
  const configuration = join(folder, "nginx.conf");
  const log = join(folder, "error.log");
  writeFileSync(
    configuration,
    `daemon off; worker_processes 1; pid ${join(folder, "nginx.pid")}; error_log ${log};
     events { worker_connections 1024; }
     http { access_log off; ${temporary} ${site} }`,
  );
  execFileSync(NGINX, ["-q", "-t", "-c", configuration, "-e", log], { stdio: "inherit" });
  return run(NGINX, ["-c", configuration, "-e", log]);
}

/** Runs Debian's Caddy with the documented site, on these ports. */
export async function startCaddy(folder: string, port: number, upstreams: [number, number]) {
  const home = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  execFileSync("caddy", ["validate", "--config", "deploy/Caddyfile", "--adapter", "caddyfile"], {
    stdio: "ignore",
    env: { ...process.env, ...home },
  });
  const [key, certificate] = certify(folder);
  const site = readFileSync("deploy/Caddyfile", "utf8")
    .replace("127.0.0.1:3000", `127.0.0.1:${upstreams[0]}`)
    .replace("127.0.0.1:3001", `127.0.0.1:${upstreams[1]}`)
    .replace(`${HOST} {`, `https://${HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`);
  const configuration = join(folder, "Caddyfile");
  writeFileSync(configuration, `{\n\tadmin off\n\tauto_https off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n${site}`);
  return run("caddy", ["run", "--config", configuration, "--adapter", "caddyfile"], home);
}
