"""Chinese phrases of instruction-shaped text (W2), in simplified and traditional characters."""

from recordance.domain.phrase import TaintShape, phrase

_NO = "".join(f"(?<!_{no}_)" for no in ("不要", "不能", "不得", "没有", "可能", "请勿", "勿", "别", "不", "被", "会", "會"))
_DROP = (
    f"(?=忽|无|無|忘|抛|拋|撤|绕|繞){_NO}(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|抛开|拋開|撤销|绕过|繞過)|"
    "不要理会|不要理會|不要遵守|不要遵循|不要听从|不再遵守|不再遵循"
)
_DROPS = "忽 无 無 忘 抛 拋 撤 绕 繞 理 遵 听"
_FORMER = "之前|先前|以前|以上|上述|上面|前面|此前|此先|原有|原来|最初"
_ORDERS = "指令|指示|命令|规则|規則|提示词|提示詞|系统提示|系統提示|提示|设定|設定|限制|约束|内容|指引|准则"
_FILL = "的|所|有|一|切|全|部|任|何|那|些|给|給|你|系|统|統|安|全|和|及|收|到|到|过|過|说|說|开|发|者"
_GUARDED = "密码|密碼|口令|密钥|密鑰|私钥|私鑰|令牌|凭证|憑證|凭据|机密|api_key|token|聊天记录|聊天記錄|对话|用户数据|客户数据"
_GUARDS = "密 口 私 令 凭 憑 机 key token 聊 对 数"
_SEND = "发送|發送|发给|发到|發到|上传|上傳|转发|轉發|提交|寄到|泄露|传到|传给"
_OUTSIDE = "https?|www|@|我|攻击者|外部"

PHRASES = (
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        f"({_DROP}) 4*(你|您|所|有|掉|一|切|全|部|我) ({_FORMER}) 9*({_FILL}) ({_ORDERS})",
    ),
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        f"({_DROP}) (你的|您的|系统|系統|所有|一切) 5*({_FILL}) ({_ORDERS}) =(并|並|然|和|且|从|現|现|你|请|\\.)",
    ),
    phrase(TaintShape.EXFILTRATION, _GUARDS, f"(把|将|將) ~9 ({_GUARDED}) ~6 ({_SEND}) ~4 ({_OUTSIDE})"),
    phrase(TaintShape.EXFILTRATION, _GUARDS, f"({_SEND}) ~8 ({_GUARDED}) ~2 (到|至|给|給) ~4 ({_OUTSIDE})"),
    phrase(
        TaintShape.CONCEALMENT,
        "告 诉 訴 让 讓 知 瞒 瞞",
        "(不要|别|別|请勿|切勿|不得|不能|勿|不许) (告诉|告訴|告知|通知|让|讓) "
        "((?:任何人|别人|其他人)|(?:用户|用戶|使用者|主人)(?=_(?:这|這|此|关于此|知道|任何|\\.)(?!\\S)|$))",
    ),
    phrase(TaintShape.CONCEALMENT, "瞒 瞞", "(瞒着|瞞著|瞒住) (用户|用戶|使用者|主人|所有人)"),
)
