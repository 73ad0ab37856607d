-- The words in names of tables and columns, each with the meaning that it suggests. `app init` uses the words to draft an app file. `app
-- check` uses them to warn about columns that look like secrets. To support another language, add rows.
select l.word, l.sense
  from (values
       -- Names for the table of users.
       ('users', 'directory'), ('user', 'directory'), ('accounts', 'directory'), ('members', 'directory'),
       ('customers', 'directory'), ('profiles', 'directory'), ('people', 'directory'),
       -- Words for a secret, at the end of a column's name or before a word for its storage, such as `hash`.
       ('password', 'secret'), ('passwd', 'secret'), ('passphrase', 'secret'), ('secret', 'secret'), ('token', 'secret'),
       ('api_key', 'secret'), ('apikey', 'secret'), ('private_key', 'secret'), ('privatekey', 'secret'), ('otp_code', 'secret'),
       ('recovery_code', 'secret'), ('backup_code', 'secret'), ('hashed_key', 'secret'), ('key_hash', 'secret'),
       ('credential', 'secret'), ('security_stamp', 'secret'), ('pw', 'secret'), ('pwd', 'secret'), ('otp', 'secret'),
       ('totp', 'secret'), ('otp_seed', 'secret'), ('totp_seed', 'secret'), ('signing_key', 'secret'), ('auth_key', 'secret'),
       ('encryption_key', 'secret'), ('magic_link', 'secret'), ('accept_code', 'secret'), ('jwt', 'secret'), ('bearer', 'secret'),
       ('salt', 'secret'), ('pin', 'secret'), ('pass_crypt', 'secret'), ('user_pass', 'secret'), ('reset_digest', 'secret'),
       ('remember_digest', 'secret'), ('activation_digest', 'secret'),
       ('hash', 'disguise'), ('hashed', 'disguise'), ('digest', 'disguise'), ('encrypted', 'disguise'),
       ('key', 'disguise'), ('value', 'disguise'),
       ('new', 'disguise'), ('current', 'disguise'), ('old', 'disguise'), ('previous', 'disguise'),
       -- Words for a status, at the end of a column's name.
       ('status', 'standing'), ('state', 'standing'), ('tier', 'standing'), ('plan', 'standing'), ('stage', 'standing'),
       ('phase', 'standing'),
       -- Words for an email.
       ('mail', 'address'), ('email', 'address'), ('emails', 'address'), ('mails', 'address'),
       ('e_mail', 'address'), ('e-mail', 'address'), ('e_mails', 'address'), ('e-mails', 'address'),
       -- Irregular plurals.
       ('people', 'plural of person'), ('children', 'plural of child'), ('men', 'plural of man'),
       ('women', 'plural of woman'), ('indices', 'plural of index'), ('media', 'plural of medium'),
       -- Endings of regular plurals, and of their singulars.
       ('s', 'plural end'), ('es', 'plural end'), ('ies', 'plural end y')) as l (word, sense)
