# Prints the five assets that the last 10 blocks moved most of, with the sum in US dollars.
# X-Parent-Hash leads to the block before.

import json, os, time, urllib.error, urllib.request
from collections import Counter

def get(block, page):
    request = urllib.request.Request(
        f"{os.environ['BASE']}/v0/blocks/{block}/asset-changes?pageSize=100&page={page}",
        headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
    try:
        response = urllib.request.urlopen(request)
        return response.headers, json.load(response)
    except urllib.error.HTTPError as error:
        if error.code not in (429, 503):
            raise
        time.sleep(int(error.headers.get("Retry-After", "1")))
        return get(block, page)

volume, block = Counter(), "tip"  # volume: in units of 10^-8 US dollars
for _ in range(10):
    page, more = 1, True
    while more:
        headers, changes = get(block, page)
        for change in changes["result"]:
            whole, _, fraction = change["amountUsdExact"].partition(".")
            volume[change["asset"]["id"]] += int(whole + fraction.ljust(8, "0"))
        more = len(changes["result"]) == 100
        block = headers["X-Block-Hash"]  # later pages are of the same block
        page += 1
    if headers["X-Block-Height"] == "0":
        break
    block = headers["X-Parent-Hash"]
for asset, usd in volume.most_common(5):
    print(asset, f"{usd // 10**8}.{usd % 10**8:08d}")
