"use client";

import { useState } from "react";
import { CopyButton } from "#components/CopyButton.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Panel } from "#components/ui/Panel.tsx";
import type { Sample } from "#lib/contract/operation.ts";

export function Samples({ samples, label }: { samples: Sample[]; label: string }) {
  const [language, setLanguage] = useState<Sample["language"]>("cURL");
  const { code } = samples.find((sample) => sample.language === language)!;
  return (
    <Panel className="mt-3 min-w-0">
      <fieldset className="flex flex-wrap items-center gap-2 border-b p-2">
        <legend className="sr-only">Language of the program for {label}</legend>
        {samples.map((sample) => (
          <Button
            key={sample.language}
            aria-pressed={sample.language === language}
            onClick={() => setLanguage(sample.language)}
          >
            {sample.language}
          </Button>
        ))}
        <span className="ml-auto">
          <CopyButton text={code} label={`the ${language} program`}>
            Copy
          </CopyButton>
        </span>
      </fieldset>
      {/* A scrolling area must be reachable by keyboard. */}
      <pre className="mono max-h-96 overflow-auto p-3" tabIndex={0}>
        {code}
      </pre>
    </Panel>
  );
}
