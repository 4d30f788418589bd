# Prints each block that is added or reverted, from the tip on.
# A block with an unexpected parent shows a reorganisation: the program then reports blocks that are no longer
# canonical as reverted, and goes on from there. block() returns None for a block that is not canonical.

import json, os, time, urllib.error, urllib.request

def block(reference):
    request = urllib.request.Request(f"{os.environ['BASE']}/v0/blocks/{reference}/asset-changes?pageSize=100",
                                     headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    while True:
        try:
            response = urllib.request.urlopen(request)
            return response.headers, json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            if error.code not in (429, 503):
                raise
            time.sleep(int(error.headers.get("Retry-After", "1")))

reported = []  # height and hash of each block, oldest first
start = int(block("tip")[0]["X-Block-Height"])
while True:
    if reported and block(reported[-1][1]) is None:
        print("reverted", *reported.pop(), flush=True)
        continue
    height = reported[-1][0] + 1 if reported else start
    found = block(height)
    if found is None:
        time.sleep(2)
    elif not reported or found[0]["X-Parent-Hash"] == reported[-1][1]:
        reported.append((height, found[0]["X-Block-Hash"]))
        print("added", *reported[-1], found[1]["total"], "assets moved", flush=True)
