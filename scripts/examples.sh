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

export SERVICE TOKEN
