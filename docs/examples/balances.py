# Prints what ADDRESS holds: a line for each token, with the sum of its outputs in the smallest unit.
# A walk may repeat an output after a reorganisation, so outputs are kept by out point.

import json, os, time, urllib.error, urllib.request

def get(cursor):
    request = urllib.request.Request(
        f"{os.environ['BASE']}/v0/addresses/{os.environ['ADDRESS']}/utxos?pageSize=1000&cursor={cursor}",
        headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    while True:
        try:
            return json.load(urllib.request.urlopen(request))
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            time.sleep(int(error.headers.get("Retry-After", "1")))

outputs, page = {}, get("")
outputs.update((output["outPoint"], output) for output in page["result"])
while page["hasNext"]:
    page = get(page["lastCursor"])
    outputs.update((output["outPoint"], output) for output in page["result"])
balances = {}
for output in outputs.values():
    balances[output["token"]] = balances.get(output["token"], 0) + int(output["amount"])
for token, amount in balances.items():
    print(token, amount)
