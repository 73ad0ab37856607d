import Commands
import Testing

/// Errors, the prompt and the history never repeat a password.
@Suite struct SecretsTests {
    @Test(arguments: [
        ("postgresql://operator:geh@eim@localhost/impulse", "postgresql://operator:…@localhost/impulse"),
        ("postgresql:/op:sekret@h/db is no", "postgresql:/op:…@h/db is no"),
        (#"-d "Host=h;Username=u;Password=sekret" doctor"#, #"-d "Host=h;Username=u;Password=…" doctor"#),
        ("PGPASSWORD=sekret psql -h h", "PGPASSWORD=… psql -h h"),
        (#"host=h password='a\' b' user=u"#, "host=h password=… user=u"), ("Pwd=sekret;Database=x", "Pwd=…"),
        ("POSTGRES://u:sekret@h/db", "POSTGRES://u:…@h/db"), ("passwd = sekret x", "passwd=… x"),
        ("connect p --db 'pg://u:S3K R3T@h/d'", "connect p --db 'pg://u:…@h/d'"),
        ("pg://h/d?pass=sekret", "pg://h/d?pass=…"),
        ("unknown command `u:sekret@h/db`", "unknown command `u:…@h/db`"), ("-d 'u:se@kret@h:1/db'", "-d 'u:…@h:1/db'"),
    ])
    func textWithAPasswordIsMasked(text: String, masked: String) { #expect(Secrets.masked(text) == masked) }

    @Test(arguments: [
        "user show ada@example.com", "the password is asked for", "see https://example.com/a?b=c", "a:/b", "",
        #"{"email":"ada@example.com"}"#, "at 10:30 ada@example.com",
        "postgresql://ada@h/db", "tcp://h:5432 asks ada@example.com",
    ])
    func textWithoutAPasswordStaysUnchanged(text: String) { #expect(Secrets.masked(text) == text) }
}
