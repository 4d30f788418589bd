import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  changeView,
  choiceField,
  listField,
  numberField,
  pageField,
  readView,
  textField,
} from "./url-state.ts";

const fields = {
  name: textField,
  tags: listField,
  order: choiceField(["desc", "asc", "chain"]),
  size: numberField([10, 25]),
  page: pageField,
};
const defaults = { name: "", tags: [], order: "desc", size: 10, page: 1 };
const read = (search: string) => readView(fields, new URLSearchParams(search));

describe("the state of a view", () => {
  test("is the default if the query says nothing", () => {
    expect(read("")).toEqual(defaults);
  });

  test("is read from the query", () => {
    expect(read("?name=usd&tags=stable,bridge&order=asc&size=25&page=3")).toEqual({
      name: "usd",
      tags: ["stable", "bridge"],
      order: "asc",
      size: 25,
      page: 3,
    });
  });

  test.each([
    "?order=sideways",
    "?size=7",
    "?page=0",
    "?page=-1",
    "?page=2.5",
    "?page=2x",
    "?page=",
    "?other=1",
  ])("falls back for %s", (search) => expect(read(search)).toEqual(defaults));

  test("leaves defaults out and other parameters alone", () => {
    expect(changeView(fields, "?lock=1&page=4&name=a", { name: "b", page: null })).toBe("?lock=1&name=b");
    expect(changeView(fields, "?order=asc&tags=x", { order: "desc", tags: [] })).toBe("");
  });

  test("keeps what is not changed", () => {
    expect(changeView(fields, "?page=4&order=asc", { order: undefined, size: 25 })).toBe(
      "?page=4&order=asc&size=25",
    );
  });

  test("writes lists with commas that can be read", () => {
    expect(changeView(fields, "", { tags: ["stable", "b&c"] })).toBe("?tags=stable,b%26c");
  });

  test("comes back as it was written, whatever the texts are", () => {
    const text = fc.string({ unit: "binary" }).map((one) => one.toWellFormed());
    const tag = text.filter((one) => one !== "");
    fc.assert(
      fc.property(text, fc.array(tag), fc.constantFrom("desc", "asc", "chain"), (name, tags, order) => {
        const search = changeView(fields, "?kept=1", { name, tags, order });
        expect(read(search)).toEqual({ ...defaults, name, tags, order });
        expect(new URLSearchParams(search).get("kept")).toBe("1");
      }),
    );
  });
});
