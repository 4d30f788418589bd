import { expect, test } from "vitest";
import { sessionToken } from "./authenticate.ts";

test.each([
  ["aqs_session=a", "a"],
  ["__Host-aqs_session=a", "a"],
  // Another host of the same site can set the first, but not the second.
  ["aqs_session=other; x=y; __Host-aqs_session=a", "a"],
  ["__Host-aqs_session=; aqs_session=a", "a"],
  ["__host-aqs_session=a; my_aqs_session=b; aqs_session", null],
  ["", null],
])("the session's token in the cookies %j is %j", (cookie, token) => {
  expect(sessionToken((name) => (name === "cookie" ? cookie : undefined))).toBe(token);
});
