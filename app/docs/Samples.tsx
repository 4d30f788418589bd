"use client";

import { type ReactNode, useState } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { Button } from "#components/ui/Button.tsx";
import type { Sample } from "#lib/contract/operation.ts";

interface Props {
  samples: Sample[];
  label: string;
  /** The example response, as JSON text. */
  response: string;
}

export function Samples({ samples, label, response }: Props) {
  const [language, setLanguage] = useState<Sample["language"]>("cURL");
  const { code } = samples.find((sample) => sample.language === language)!;
  return (
    <>
      <Code text={code} copied={`the ${language} program`}>
        <fieldset className="flex flex-wrap">
          <legend className="sr-only">Language of the program for {label}</legend>
          {samples.map((sample) => (
            <Button
              key={sample.language}
              tone="bare"
              size="narrow"
              aria-pressed={sample.language === language}
              onClick={() => setLanguage(sample.language)}
            >
              {sample.language}
            </Button>
          ))}
        </fieldset>
      </Code>
      <Code text={response} copied="the example response">
        <p className="px-2 font-medium text-[13px]">Example response</p>
      </Code>
    </>
  );
}

function Code({ text, copied, children }: { text: string; copied: string; children: ReactNode }) {
  return (
    <div className="mt-3 min-w-0 rounded-lg bg-sunken">
      <div className="flex items-center justify-between gap-2 p-1">
        {children}
        <CopyButton text={text} label={copied} />
      </div>
      {/* A scrolling area must be reachable by keyboard. */}
      <pre className="mono max-h-80 overflow-y-auto px-3 pb-3 break-all whitespace-pre-wrap" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
