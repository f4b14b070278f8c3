"""One call of boto3 with the credentials in the environment: put, upload, get, list or delete. Needs Debian's python3-boto3."""
import sys

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

MEBIBYTE = 1024 * 1024

endpoint, action, bucket, key, file = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=endpoint, config=Config(retries={"max_attempts": 0}))
if action == "put":
    with open(file, "rb") as body:
        s3.put_object(Bucket=bucket, Key=key, Body=body)
elif action == "upload":
    s3.upload_file(file, bucket, key, Config=TransferConfig(multipart_threshold=8 * MEBIBYTE, multipart_chunksize=8 * MEBIBYTE))
elif action == "get":
    s3.download_file(bucket, key, file)
elif action == "list":
    print(s3.list_objects_v2(Bucket=bucket, Prefix=key))
elif action == "delete":
    s3.delete_object(Bucket=bucket, Key=key)
else:
    sys.exit(f"Unknown action {action}.")
