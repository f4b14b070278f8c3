# What the commands of the documents share. Run it in bash with `.`, in the folder of the clone, beside `npm start`.
: "${SERVICE:=http://localhost:3000}"

# The JSON on stdin, or one value of it: `json processed 0 id`.
json() {
  node -e 'let value = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const name of process.argv.slice(1)) value = value[name];
    console.log(typeof value === "string" ? value : JSON.stringify(value, null, 2));' -- "$@"
}

# An access token of the demo user, and requests with it. In production it comes from OAuth.
TOKEN=$(npm run -s admin -- token --user demo@example.org | json access_token)
api() { curl -sS -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "$@"; }

# The id of a blueprint by its name.
blueprint() { api "$SERVICE/v5/format" | node -e '
  console.log(JSON.parse(require("fs").readFileSync(0)).find(({ name }) => name === process.argv[1]).id);' -- "$1"; }

# Uploads a file of a media type, and prints the id of its media container; docs/uploads.md explains the steps.
upload() {
  local answer
  answer=$(api "$SERVICE/v5/s3/createUpload" -d '{ "payload": [
    { "type": "'"$2"'", "fileName": "'"${1##*/}"'", "originalFileExtension": "'"${1##*.}"'", "fileSize": '"$(wc -c < "$1")"' } ] }')
  item() { echo "$answer" | json processed 0 "$@"; }
  curl -sSf -T "$1" "$(item endpoint)/$(item bucket)/$(item s3Key)" --aws-sigv4 "aws:amz:$(item region):s3" \
    -u "$(item credentials AccessKeyId):$(item credentials SecretAccessKey)" \
    -H "x-amz-security-token: $(item credentials SessionToken)" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD'
  api "$SERVICE/v5/s3/success" -d '{ "bucket": "'"$(item bucket)"'", "key": "'"$(item s3Key)"'" }' > /dev/null
  item id
}

export SERVICE TOKEN
