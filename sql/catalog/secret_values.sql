-- Behind `with seen (attribute, value) as (...)`: the attributes whose values look like what nobody is to see. That is how
-- passwords are kept, what is signed, private keys and keys of services, if more than half are so; and what was drawn by lot: at
-- least three texts, all of one length of at least 32 letters, and hardly two the same. What draws by lot uses most of its
-- alphabet in so many letters, words do not; and where each begins with the same word and a line, it is what something is called.
select s.attribute
  from seen s
 cross join lateral (select count(distinct l.letter) as letters
                       from regexp_split_to_table(left(s.value, 64), '') as l (letter)) as used
 where s.value <> ''
 group by s.attribute
having 2 * count(*) filter (
           where s.value ~ ('^(\$[0-9a-z-]{1,20}\$.{20,}|(pbkdf2|bcrypt|argon2|scrypt)\w*[$:].{20,}|\{\w+\}\S{20,}'
                            || '|eyJ[\w-]{10,}\.[\w-]*\.[\w-]*(\.[\w-]*\.[\w-]*)?'
                            || '|-----BEGIN [A-Z ]*PRIVATE KEY-----.*|otpauth://.*|(sk|rk)_(live|test)_\w+|whsec_\S+|gh[a-z]_\w{30,}'
                            || '|github_pat_\w+|glpat-\S+|xox[a-z]-\S+)$')) > count(*)
    or count(*) >= 3 and min(length(s.value)) >= 32 and min(length(s.value)) = max(length(s.value))
       and 10 * count(distinct s.value) >= 9 * count(*)
       and not (count(*) = count(substring(s.value from '^[A-Za-z]+_')) and count(distinct substring(s.value from '^[A-Za-z]+_')) = 1)
       and 10 * count(*) filter (where s.value ~ '[0-9]' and s.value ~ '[A-Za-z]') >= 9 * count(*)
       and (bool_and(s.value ~ '^[0-9A-Fa-f]+$') and avg(used.letters) >= 11
            or bool_and(s.value ~ '^[A-Za-z0-9+/_-]+=*$') and not bool_and(s.value ~ '^[0-9a-f-]+$') and avg(used.letters) >= 18)
