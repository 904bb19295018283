"""The tokens of services, by their shape: a table. One row is one kind, named as its placeholder is.

A pattern matches the secret and nothing around it; one of the words before it occurs in every such secret (or right
before it), so that most patterns need never be tried.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["SHAPES", "Shape"]

_A: Final = "[A-Za-z0-9]"
_W: Final = "[A-Za-z0-9_-]"
_HEX: Final = "[0-9a-f]"
_UUID: Final = rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
_NUM: Final = r"(?![A-Za-z_-]+(?![\w-]))"  # a digit is in it, as in no word

_ROWS: Final[tuple[tuple[str, str, str], ...]] = (
    # source code and packages
    ("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_A}{{20,255}}"),
    ("github_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("gitlab_token", "gl", rf"gl(?:pat|rt|ptt|dt|soat|cbt|imt|ft|agent|oas)-{_W}{{20,300}}(?:\.[a-z0-9.]{{5,30}})?"),
    ("gitlab_token", "glffct- glwt-", rf"gl(?:ffct|wt)-{_W}{{20,60}}"),
    ("bitbucket_token", "ATBB", rf"ATBB{_A}{{28,60}}"),
    ("npm_token", "npm_", rf"npm_{_A}{{36}}"),
    ("pypi_token", "pypi-", rf"pypi-{_W}{{16,400}}"),
    ("rubygems_token", "rubygems_", rf"rubygems_{_HEX}{{48}}"),
    ("docker_token", "dckr_pat_ dckr_oat_", rf"dckr_[po]at_{_W}{{20,60}}"),
    ("crates_token", "cio", rf"cio{_A}{{32}}"),
    ("gitlab_token", "GR1348941", rf"GR1348941{_W}{{20}}"),
    ("artifactory_token", "AKCp cmVmdGtu", rf"AKCp{_A}{{60,80}}|cmVmdGtu{_A}{{50,60}}"),
    ("clojars_token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    ("nuget_key", "oy2", r"oy2[a-z0-9]{43}"),
    ("deno_token", "ddp_ ddo_ ddw_", rf"dd[pow]_{_A}{{36}}"),
    ("sonar_token", "squ_ sqp_ sqa_", rf"sq[upa]_{_HEX}{{40}}"),
    ("sourcegraph_token", "sgp_ sgd_", rf"sg[pd]_(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    ("buildkite_token", "bkua_ bkct_ bkaj_", rf"bk(?:ua|ct|aj)_{_HEX}{{40}}"),
    ("circleci_token", "CCIPAT_ CCIPRJ_", rf"CCIP(?:AT|RJ)_{_A}{{20,30}}_{_HEX}{{40}}"),
    ("harness_token", "pat. sat.", rf"[ps]at\.{_W}{{22}}\.{_HEX}{{24}}\.{_A}{{20}}"),
    ("octopus_key", "API-", r"API-[A-Z0-9]{26}"),
    # models
    ("anthropic_key", "sk-ant-", rf"sk-ant-{_W}{{16,200}}"),
    ("openrouter_key", "sk-or-", rf"sk-or-{_W}{{20,100}}"),
    ("openai_key", "sk-", rf"sk-(?:proj|svcacct|admin|None)-{_W}{{20,250}}|sk-(?=[A-Za-z]{{0,40}}\d){_A}{{20,100}}"),
    ("langsmith_key", "lsv2_ ls__", rf"ls(?:v2_(?:pt|sk)_|__){_A}{{20,60}}(?:_{_A}{{6,20}})?"),
    ("huggingface_token", "hf_ api_org_", rf"(?:hf|api_org)_{_A}{{30,60}}"),
    ("google_key", "AIza AQ.Ab8", rf"AIza{_W}{{35}}|AQ\.Ab8{_W}{{40,60}}"),
    ("google_token", "ya29. GOCSPX- 1//0", rf"ya29\.{_W}{{20,2000}}|GOCSPX-{_W}{{24,40}}|1//0{_W}{{30,200}}"),
    ("groq_key", "gsk_", rf"gsk_{_A}{{40,80}}"),
    ("xai_key", "xai-", rf"xai-{_A}{{60,100}}"),
    ("perplexity_key", "pplx-", rf"pplx-{_A}{{40,64}}"),
    ("replicate_token", "r8_", rf"r8_{_A}{{30,50}}"),
    ("tavily_key", "tvly-", rf"tvly-(?:dev-|prod-)?{_A}{{20,60}}"),
    ("firecrawl_key", "fc-", rf"fc-{_HEX}{{32}}"),
    ("context7_key", "ctx7sk-", rf"ctx7sk-{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    ("pinecone_key", "pcsk_", r"pcsk_[A-Za-z0-9_]{40,100}"),
    ("nvidia_key", "nvapi-", rf"nvapi-{_W}{{40,100}}"),
    ("cerebras_key", "csk-", rf"csk-{_A}{{40,60}}"),
    ("fireworks_key", "fw_", rf"fw_{_NUM}{_A}{{22,40}}"),
    ("together_key", "tgp_v1_", rf"tgp_v1_{_W}{{40,60}}"),
    ("elevenlabs_key", "sk_", rf"sk_{_HEX}{{48}}"),
    ("jina_key", "jina_", rf"jina_{_A}{{40,80}}"),
    ("voyage_key", "pa-", rf"pa-{_NUM}{_W}{{43}}"),
    ("langfuse_key", "sk-lf-", rf"sk-lf-{_UUID}"),
    ("wandb_key", "wandb_v1_", rf"wandb_v1_{_W}{{40,100}}"),
    ("kaggle_token", "KGAT_", rf"KGAT_{_HEX}{{32}}"),
    ("e2b_key", "e2b_", rf"(?:sk_)?e2b_{_HEX}{{40}}"),
    ("browserbase_key", "bb_live_ bb_test_", rf"bb_(?:live|test)_{_W}{{20,40}}"),
    ("apify_token", "apify_api_", rf"apify_api_{_A}{{30,50}}"),
    # clouds
    ("aws_key_id", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}"),
    ("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", rf"do[opr]_v1_{_HEX}{{64}}"),
    ("databricks_token", "dapi", rf"dapi{_HEX}{{32}}(?:-\d)?"),
    ("azure_secret", "Q~", rf"{_A}{{3}}\dQ~[A-Za-z0-9_.~-]{{31,34}}"),
    ("azure_devops_token", "JQQJ99", rf"{_A}{{52}}JQQJ99{_A}{{22}}AZDO{_A}{{4}}"),
    ("alibaba_key_id", "LTAI", rf"LTAI{_A}{{12,26}}"),
    ("heroku_key", "HRKU-", rf"HRKU-{_W}{{30,70}}"),
    ("fly_token", "fo1_ fm1_ fm2_", rf"fo1_{_W}{{40,60}}|fm[12]_[A-Za-z0-9+/_=-]{{60,2000}}"),
    ("netlify_token", "nfp_", rf"nfp_{_A}{{30,50}}"),
    ("vercel_token", "vcp_ vci_ vca_ vcr_ vck_", rf"vc[piark]_{_A}{{24,80}}"),
    ("vercel_token", "vercel_blob_rw_", rf"vercel_blob_rw_{_W}{{20,80}}"),
    ("supabase_key", "sbp_ sb_secret_", rf"sbp_{_HEX}{{40}}|sb_secret_{_W}{{20,60}}"),
    ("planetscale_token", "pscale_", rf"pscale_(?:tkn|pw|oauth)_{_W}{{30,80}}"),
    ("terraform_token", ".atlasv1.", rf"{_A}{{14}}\.atlasv1\.{_W}{{60,70}}"),
    ("pulumi_token", "pul-", rf"pul-{_HEX}{{40}}"),
    ("vault_token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_W}{{20,400}}"),
    ("doppler_token", "dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{40,44}}"),
    ("onepassword_token", "ops_eyJ", rf"ops_eyJ{_W}{{60,3000}}"),
    ("age_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("aws_bedrock_key", "ABSK", r"ABSK[A-Za-z0-9+/]{100,140}={0,2}"),
    ("cloudflare_token", "v1.0- cfut_ cfat_", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{146}}|cf[ua]t_{_W}{{40,60}}"),
    ("render_key", "rnd_", rf"rnd_{_NUM}{_A}{{28,40}}"),
    ("neon_key", "napi_ npg_", rf"napi_[a-z0-9]{{60,70}}|npg_{_NUM}{_A}{{12,20}}"),
    ("tailscale_key", "tskey-", rf"tskey-[a-z]{{3,12}}-{_A}{{8,30}}-{_A}{{20,40}}"),
    ("openshift_token", "sha256~", rf"sha256~{_W}{{43}}"),
    ("scalingo_token", "tk-us-", rf"tk-us-{_W}{{48}}"),
    ("yandex_token", "y0_ AQVN", rf"y0_{_W}{{50,62}}|AQVN{_W}{{35,38}}"),
    ("clickhouse_key", "4b1d", rf"4b1d{_A}{{38}}"),
    ("infracost_key", "ico-", rf"ico-{_A}{{32}}"),
    ("prefect_key", "pnu_ pnb_", rf"pn[ub]_{_A}{{36}}"),
    ("mapbox_token", "sk.eyJ", rf"sk\.eyJ{_W}{{30,300}}\.{_W}{{20,30}}"),
    ("maxmind_key", "_mmk", rf"{_A}{{6}}_{_A}{{29}}_mmk"),
    ("launchdarkly_key", "api- sdk- mob-", rf"(?:api|sdk|mob)-{_UUID}"),
    ("firebase_key", "APA91b", rf"{_W}{{7,200}}:APA91b{_W}{{130,150}}"),
    ("zuplo_key", "zpka_", rf"zpka_{_HEX}{{32}}_{_HEX}{{8}}"),
    ("adafruit_key", "aio_", rf"aio_{_A}{{28}}"),
    # talk
    ("slack_token", "xox xapp-", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{12,250}|xapp-\d-[A-Za-z0-9-]{20,250}"),
    ("slack_webhook", "hooks.slack.com/services/", r"(?<=services/)T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20,30}"),
    ("discord_webhook", "/api/webhooks/", rf"(?<=/api/webhooks/)\d{{15,21}}/{_W}{{50,90}}"),
    ("discord_token", ".", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,40}}"),
    ("telegram_token", ":AA", rf"\d{{8,10}}:AA{_W}{{32,34}}"),
    ("telegram_token", "/bot", rf"(?<=/bot)\d{{8,10}}:AA{_W}{{32,34}}"),
    ("sendgrid_key", "SG.", rf"SG\.{_W}{{16,32}}\.{_W}{{30,64}}"),
    ("mailgun_key", "key-", rf"key-{_HEX}{{32}}"),
    ("mailchimp_key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}"),
    ("twilio_key", "SK AC", rf"(?:SK|AC){_HEX}{{32}}"),
    ("brevo_key", "sib-", rf"x(?:key|smtp)sib-{_HEX}{{64}}-{_A}{{16}}"),
    ("resend_key", "re_", rf"re_{_A}{{6,12}}_{_NUM}{_A}{{20,30}}"),
    ("mailgun_key", "-", rf"{_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}}"),
    ("discord_token", "mfa.", rf"mfa\.{_W}{{80,95}}"),
    ("teams_webhook", "webhookb2/", rf"(?<=webhookb2/){_UUID}@{_UUID}/IncomingWebhook/{_HEX}{{32}}/{_UUID}"),
    ("zapier_webhook", "hooks/catch/", r"(?<=hooks/catch/)\d{5,10}/[a-z0-9]{6,10}"),
    ("facebook_token", "EAA", rf"EAA[B-Z]{_A}{{80,300}}"),
    ("twitch_token", "oauth:", r"(?<=oauth:)[a-z0-9]{30}"),
    # money and shops
    ("stripe_key", "_live_ _test_ whsec_", rf"[sr]k_(?:live|test)_{_A}{{16,250}}|whsec_[A-Za-z0-9+/=]{{24,80}}"),
    ("square_token", "sq0 EAAA", rf"sq0(?:atp|csp|idp)-{_W}{{22,60}}|EAAA{_W}{{60}}"),
    ("shopify_token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("paypal_token", "access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    ("plaid_token", "access-", rf"access-(?:sandbox|development|production)-{_UUID}"),
    ("lob_key", "live_ test_", rf"(?:live|test)_{_HEX}{{35}}"),
    ("razorpay_key", "rzp_", rf"rzp_(?:live|test)_{_A}{{14}}"),
    ("flutterwave_key", "FLWSECK", rf"FLWSECK(?:_TEST)?-{_A}{{12,40}}(?:-X)?"),
    ("easypost_key", "EZAK EZTK", rf"EZ[AT]K{_A}{{54}}"),
    ("shippo_token", "shippo_", rf"shippo_(?:live|test)_{_HEX}{{40}}"),
    ("duffel_token", "duffel_", rf"duffel_(?:live|test)_{_W}{{43}}"),
    ("gocardless_token", "live_ sandbox_", rf"(?:live|sandbox)_{_NUM}{_W}{{40}}"),
    # work
    ("notion_token", "secret_ ntn_", rf"(?:secret|ntn)_{_A}{{40,60}}"),
    ("linear_key", "lin_api_ lin_oauth_", rf"lin_(?:api|oauth)_{_A}{{32,64}}"),
    ("figma_token", "figd_ figo_ figu_", rf"fig[dou]_{_W}{{20,80}}"),
    ("atlassian_token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{40,300}"),
    ("airtable_token", "pat", rf"pat{_A}{{14}}\.{_HEX}{{64}}"),
    ("asana_token", "0/ 1/ 2/", rf"[0-2]/\d{{16}}(?:/\d{{16}})?:{_HEX}{{32}}"),
    ("dropbox_token", "sl.", rf"sl\.(?:u\.)?{_W}{{100,2000}}"),
    ("postman_key", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    ("hubspot_token", "pat-", rf"pat-(?:na|eu)\d-{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    ("contentful_token", "CFPAT-", rf"CFPAT-{_W}{{43}}"),
    ("typeform_token", "tfp_", rf"tfp_{_W}{{40,60}}"),
    ("zoho_token", "1000.", rf"1000\.{_HEX}{{32}}\.{_HEX}{{32}}"),
    ("salesforce_token", "AQ AR", rf"00D{_A}{{12,15}}!A[QR][A-Za-z0-9._]{{60,130}}"),
    ("trello_token", "ATTA", rf"ATTA{_HEX}{{64}}"),
    ("clickup_token", "pk_", r"pk_\d{5,10}_[A-Z0-9]{32}"),
    ("wakatime_key", "waka_", rf"waka_{_UUID}"),
    ("onepassword_key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("bitwarden_token", "0.", rf"0\.{_UUID}\.{_A}{{30}}:[A-Za-z0-9+/]{{22}}=="),
    ("readme_key", "rdme_", r"rdme_[a-z0-9]{70}"),
    ("frameio_token", "fio-u-", rf"fio-u-{_W}{{64}}"),
    ("ory_token", "ory_", rf"ory_(?:pat|at|rt|st)_{_W}{{30,100}}"),
    ("stytch_secret", "secret-live- secret-test-", rf"secret-(?:live|test)-{_W}{{30,40}}=?"),
    # watching
    ("sentry_token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}"),
    ("newrelic_key", "NRAK- NRII-", rf"NRAK-[A-Z0-9]{{27}}|NRII-{_W}{{32}}"),
    ("grafana_token", "glsa_ glc_", rf"glsa_{_A}{{32}}_[A-Fa-f0-9]{{8}}|glc_[A-Za-z0-9+/]{{32,400}}={{0,2}}"),
    ("posthog_key", "phx_ phc_", rf"ph[cx]_{_A}{{40,50}}"),
    ("dynatrace_token", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("honeycomb_key", "ik_", r"hc[a-z]ik_[a-z0-9]{58}"),
    ("password_hash", "$2a$ $2b$ $2y$ $apr1$ $6$ $5$", r"\$2[aby]\$\d\d\$[A-Za-z0-9./]{53}|\$(?:apr1|[56])\$"
     r"[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{22,86}"),
    # of no one service: signed (three parts) or encrypted (five)
    ("jwt", "eyJ", rf"eyJ{_W}{{8,}}\.(?:{_W}{{0,600}}(?:\.{_W}{{2,}}){{3}}|eyJ{_W}{{4,}}\.{_W}{{10,}})"),
    ("api_key", "_api_ _live_ _pat_ _sk_ _oat_ _secret_ _pat_v1_",
     rf"[a-z][a-z0-9]{{1,15}}_(?:api|live|pat|sk|oat|secret)(?:_v\d)?_{_NUM}{_A}{{20,120}}"),
    ("api_key", "-api- -live- -pat- -sk- -secret-",
     rf"[a-z][a-z0-9]{{1,15}}-(?:api|live|pat|sk|secret)-{_NUM}{_A}{{24,120}}"),
)  # fmt: skip


class Shape(NamedTuple):
    """One kind: the name for its placeholder, words one of which is there, and the regular expression of the secret."""

    name: str
    hints: tuple[str, ...]
    body: str


SHAPES: Final = tuple(Shape(name, tuple(hints.split()), body) for name, hints, body in _ROWS)
"""The table. Where two rows match the same text the earlier one names it."""
