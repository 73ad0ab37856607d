-- The words by which names of columns and tables speak of people and of keys; another language is more rows.
select l.word, l.sense
  from (values
       -- What the table is called that lists all users of an app, and how such words end.
       ('users', 'directory'), ('user', 'directory'), ('accounts', 'directory'), ('members', 'directory'),
       ('customers', 'directory'), ('profiles', 'directory'), ('people', 'directory'),
       -- What a column is called, anywhere in its name, that nobody is to see.
       ('password', 'hidden'), ('passwd', 'hidden'), ('passphrase', 'hidden'), ('token', 'hidden'), ('secret', 'hidden'),
       ('hash', 'hidden'), ('hmac', 'hidden'), ('code_challenge', 'hidden'), ('private', 'hidden'), ('api_key', 'hidden'),
       ('apikey', 'hidden'), ('otp_code', 'hidden'), ('backup_code', 'hidden'), ('backupcode', 'hidden'),
       ('recovery_code', 'hidden'), ('recoverycode', 'hidden'), ('security_stamp', 'hidden'), ('securitystamp', 'hidden'),
       ('otp_seed', 'hidden'), ('signing_key', 'hidden'), ('auth_key', 'hidden'), ('magic_link', 'hidden'), ('jwt', 'hidden'),
       -- What a column holds that nobody is to see and that no line of an app file may forget: by the end of its name, or before
       -- a word for how it is kept.
       ('password', 'secret'), ('passwd', 'secret'), ('passphrase', 'secret'), ('secret', 'secret'), ('token', 'secret'),
       ('api_key', 'secret'), ('apikey', 'secret'), ('private_key', 'secret'), ('privatekey', 'secret'), ('otp_code', 'secret'),
       ('recovery_code', 'secret'), ('backup_code', 'secret'), ('hashed_key', 'secret'), ('key_hash', 'secret'),
       ('credential', 'secret'), ('security_stamp', 'secret'), ('pw', 'secret'), ('pwd', 'secret'), ('otp', 'secret'),
       ('totp', 'secret'), ('otp_seed', 'secret'), ('totp_seed', 'secret'), ('signing_key', 'secret'), ('auth_key', 'secret'),
       ('encryption_key', 'secret'), ('magic_link', 'secret'), ('accept_code', 'secret'), ('jwt', 'secret'), ('bearer', 'secret'),
       ('salt', 'secret'), ('pin', 'secret'),
       ('hash', 'disguise'), ('hashed', 'disguise'), ('digest', 'disguise'), ('encrypted', 'disguise'),
       ('key', 'disguise'), ('value', 'disguise'),
       ('new', 'disguise'), ('current', 'disguise'), ('old', 'disguise'), ('previous', 'disguise'),
       -- What people are known by besides, without the lines between words.
       ('login', 'alias'), ('username', 'alias'), ('handle', 'alias'), ('phone', 'alias'), ('phonenumber', 'alias'),
       ('mobile', 'alias'),
       -- What stands behind the name of what a column refers to.
       ('id', 'key'), ('ids', 'key'), ('uid', 'key'), ('uids', 'key'), ('uuid', 'key'), ('uuids', 'key'), ('guid', 'key'),
       ('guids', 'key'), ('oid', 'key'), ('fk', 'key'), ('ref', 'key'), ('refs', 'key'), ('pk', 'key'),
       -- The same, behind a word for people alone: a line has a number, too.
       ('no', 'numbered'), ('nr', 'numbered'),
       -- Who did something: created_by.
       ('by', 'deed'),
       -- What the users of an app are called where several tables are of people.
       ('user', 'user'),
       -- What people are called as users of an app.
       ('user', 'person'), ('users', 'person'), ('account', 'person'), ('member', 'person'), ('customer', 'person'), ('person', 'person'),
       ('people', 'person'), ('profile', 'person'), ('subscriber', 'person'), ('client', 'person'), ('contact', 'person'),
       ('employee', 'person'), ('staff', 'person'), ('patient', 'person'), ('student', 'person'), ('teacher', 'person'),
       ('player', 'person'), ('athlete', 'person'), ('driver', 'person'), ('rider', 'person'), ('guest', 'person'), ('host', 'person'),
       -- What speaks of users wherever it stands in a name.
       ('user', 'within'), ('owner', 'within'), ('author', 'within'), ('creator', 'within'), ('member', 'within'),
       ('sender', 'within'), ('recipient', 'within'), ('receiver', 'within'), ('assign', 'within'), ('person', 'within'),
       ('profile', 'within'), ('customer', 'within'), ('account', 'within'), ('creat', 'within'),
       -- What they are in something: of a post, of a message, of a team.
       ('author', 'role'), ('owner', 'role'), ('creator', 'role'), ('editor', 'role'), ('writer', 'role'),
       ('publisher', 'role'), ('uploader', 'role'), ('submitter', 'role'), ('poster', 'role'), ('commenter', 'role'),
       ('sender', 'role'), ('recipient', 'role'), ('receiver', 'role'), ('addressee', 'role'), ('reader', 'role'),
       ('viewer', 'role'), ('visitor', 'role'), ('reviewer', 'role'), ('approver', 'role'), ('assignee', 'role'),
       ('assigner', 'role'), ('assignor', 'role'), ('requester', 'role'), ('requestor', 'role'), ('reporter', 'role'),
       ('reported', 'role'), ('inviter', 'role'), ('invitee', 'role'), ('referrer', 'role'), ('referee', 'role'),
       ('referral', 'role'), ('follower', 'role'), ('followee', 'role'), ('followed', 'role'), ('following', 'role'),
       ('friend', 'role'), ('blocker', 'role'), ('blocked', 'role'), ('muted', 'role'),
       ('liker', 'role'), ('voter', 'role'), ('participant', 'role'), ('attendee', 'role'), ('organizer', 'role'),
       ('organiser', 'role'), ('speaker', 'role'), ('leader', 'role'), ('manager', 'role'), ('supervisor', 'role'),
       ('boss', 'role'), ('admin', 'role'), ('administrator', 'role'), ('moderator', 'role'), ('operator', 'role'),
       ('agent', 'role'), ('actor', 'role'), ('responder', 'role'), ('responsible', 'role'), ('coach', 'role'),
       ('trainer', 'role'), ('mentor', 'role'), ('mentee', 'role'), ('buyer', 'role'), ('seller', 'role'),
       ('vendor', 'role'), ('payer', 'role'), ('payee', 'role'), ('debtor', 'role'), ('creditor', 'role'),
       ('purchaser', 'role'), ('beneficiary', 'role'), ('winner', 'role'), ('opponent', 'role'), ('challenger', 'role'),
       ('impersonator', 'role'), ('granter', 'role'), ('grantor', 'role'), ('grantee', 'role'), ('signer', 'role'),
       ('delegate', 'role'), ('delegator', 'role'), ('caller', 'role'), ('callee', 'role'), ('watcher', 'role'),
       ('whodunnit', 'role'), ('updater', 'role'), ('deleter', 'role'), ('revoker', 'role'), ('muter', 'role'), ('partner', 'role'),
       ('who', 'role'), ('login', 'role'), ('handle', 'role'), ('fan', 'role'), ('collaborator', 'role'), ('contributor', 'role'),
       ('createdby', 'role'), ('updatedby', 'role'), ('changedby', 'role'), ('modifiedby', 'role'), ('deletedby', 'role'),
       ('approvedby', 'role'),
       -- Another row of the same table.
       ('parent', 'own'), ('ancestor', 'own'), ('root', 'own'), ('original', 'own'), ('previous', 'own'), ('prev', 'own'),
       ('next', 'own'), ('successor', 'own'), ('predecessor', 'own'), ('replaces', 'own'), ('replaced', 'own'),
       ('reply_to', 'own'), ('in_reply_to', 'own'), ('replied_to', 'own'),
       -- What another row once was.
       ('version', 'record'), ('history', 'record'), ('revision', 'record'), ('audit', 'record'), ('log', 'record'),
       ('archive', 'record'), ('snapshot', 'record'), ('backup', 'record'), ('change', 'record'), ('edit', 'record'),
       ('draft', 'record'),
       -- What is another system's own.
       ('external', 'foreign'), ('remote', 'foreign'), ('legacy', 'foreign'), ('foreign', 'foreign'), ('third', 'foreign'),
       ('upstream', 'foreign'), ('provider', 'foreign'), ('api', 'foreign'), ('ext', 'foreign'), ('stripe', 'foreign'),
       ('paypal', 'foreign'),
       -- Whether somebody is something.
       ('is', 'flag'), ('has', 'flag'), ('can', 'flag'), ('should', 'flag'), ('was', 'flag'),
       -- What one user has one row of, called so by itself or beside the user, and what only beside the user.
       ('pref', 'half'), ('preference', 'half'), ('profile', 'half'), ('bio', 'half'), ('avatar', 'half'),
       ('setting', 'aside'), ('detail', 'aside'), ('info', 'aside'), ('option', 'aside'), ('stat', 'aside'), ('meta', 'aside'),
       ('metadata', 'aside'), ('extra', 'aside'), ('data', 'aside'), ('attribute', 'aside'), ('property', 'aside'),
       ('config', 'aside'), ('photo', 'aside'),
       -- Who wrote a row down: create_uid.
       ('create', 'stamp'), ('write', 'stamp'),
       -- What says of which table the key beside it is.
       ('type', 'type'), ('kind', 'type'), ('class', 'type'), ('table', 'type'), ('model', 'type'), ('entity', 'type'),
       -- What numbers are, when they are no keys.
       ('count', 'quantity'), ('counts', 'quantity'), ('total', 'quantity'), ('amount', 'quantity'), ('number', 'quantity'),
       ('num', 'quantity'), ('no', 'quantity'), ('size', 'quantity'), ('length', 'quantity'), ('width', 'quantity'),
       ('height', 'quantity'), ('position', 'quantity'), ('order', 'quantity'), ('rank', 'quantity'), ('index', 'quantity'),
       ('version', 'quantity'), ('age', 'quantity'), ('year', 'quantity'), ('month', 'quantity'), ('day', 'quantity'),
       ('days', 'quantity'), ('hours', 'quantity'), ('minutes', 'quantity'), ('seconds', 'quantity'), ('price', 'quantity'),
       ('cost', 'quantity'), ('rate', 'quantity'), ('score', 'quantity'), ('level', 'quantity'), ('limit', 'quantity'),
       ('quantity', 'quantity'), ('quota', 'quantity'), ('percent', 'quantity'), ('weight', 'quantity'), ('status', 'quantity'),
       ('attempts', 'quantity'), ('retries', 'quantity'), ('duration', 'quantity'), ('timestamp', 'quantity'),
       ('seq', 'quantity'), ('sequence', 'quantity'), ('port', 'quantity'), ('code', 'quantity'), ('offset', 'quantity'),
       -- What a number must not exceed, and what is counted against it.
       ('limit', 'bound'), ('max', 'bound'), ('maximum', 'bound'), ('quota', 'bound'), ('allowance', 'bound'), ('included', 'bound'),
       ('used', 'spent'), ('usage', 'spent'), ('count', 'spent'), ('consumed', 'spent'), ('spent', 'spent'),
       -- What a column is called, by the end of its name, that says how something stands.
       ('status', 'standing'), ('state', 'standing'), ('tier', 'standing'), ('plan', 'standing'), ('stage', 'standing'),
       ('phase', 'standing'),
       -- What people are called by others, alone or in two halves.
       ('name', 'called'), ('full_name', 'called'), ('fullname', 'called'), ('display_name', 'called'), ('displayname', 'called'),
       ('real_name', 'called'), ('first_name', 'first name'), ('firstname', 'first name'), ('given_name', 'first name'),
       ('last_name', 'last name'), ('lastname', 'last name'), ('surname', 'last name'), ('family_name', 'last name'),
       -- What a thing is called, for people.
       ('name', 'titled'), ('title', 'titled'), ('label', 'titled'), ('subject', 'titled'), ('number', 'titled'),
       -- How people are reached.
       ('mail', 'address'), ('email', 'address'), ('emails', 'address'), ('mails', 'address'),
       ('e_mail', 'address'), ('e-mail', 'address'), ('e_mails', 'address'), ('e-mails', 'address'),
       -- What stands behind such a word, or alone where all is of addresses.
       ('address', 'reached'), ('addresses', 'reached'), ('value', 'reached'),
       -- What stands before it where the person is gone, in the address itself: deleted-ada@example.com.
       ('deleted', 'gone'), ('removed', 'gone'), ('archived', 'gone'), ('anonymized', 'gone'), ('anonymised', 'gone'),
       ('disabled', 'gone'), ('inactive', 'gone'), ('former', 'gone'), ('banned', 'gone'), ('blocked', 'gone'),
       -- What stands before it where the address is the person's own.
       ('user', 'personal'), ('primary', 'personal'), ('own', 'personal'), ('login', 'personal'), ('private', 'personal'),
       ('personal', 'personal'), ('work', 'personal'), ('new', 'personal'), ('recovery', 'personal'), ('backup', 'personal'),
       ('secondary', 'personal'), ('alternate', 'personal'), ('contact', 'personal'), ('account', 'personal'),
       ('billing', 'personal'),
       -- Tables that list how users are reached, by themselves or behind a word for it, and letters, which are addressed to others.
       ('email', 'book'), ('mail', 'book'), ('emailaddress', 'book'), ('identity', 'book'), ('login', 'book'),
       ('contact', 'reach'),
       ('method', 'way'), ('point', 'way'), ('channel', 'way'), ('detail', 'way'), ('info', 'way'), ('address', 'way'),
       ('outgoing', 'letter'), ('incoming', 'letter'), ('sent', 'letter'), ('queued', 'letter'), ('queue', 'letter'),
       ('pending', 'letter'), ('inbound', 'letter'), ('outbound', 'letter'), ('scheduled', 'letter'), ('draft', 'letter'),
       ('notification', 'letter'), ('campaign', 'letter'), ('invite', 'letter'), ('invitation', 'letter'), ('bounced', 'letter'),
       ('blocked', 'letter'),
       -- Whoever else is named in the row of a user: who invited, leads or helps them.
       ('manager', 'another'), ('boss', 'another'), ('supervisor', 'another'), ('inviter', 'another'), ('invited', 'another'),
       ('referrer', 'another'), ('referred', 'another'), ('referral', 'another'), ('emergency', 'another'), ('support', 'another'),
       ('company', 'another'), ('employer', 'another'), ('sponsor', 'another'), ('parent', 'another'), ('guardian', 'another'),
       ('spouse', 'another'), ('partner', 'another'), ('friend', 'another'), ('assistant', 'another'), ('admin', 'another'),
       ('sender', 'another'), ('from', 'another'), ('reply', 'another'), ('recipient', 'another'), ('to', 'another'),
       ('cc', 'another'), ('bcc', 'another'), ('helpdesk', 'another'), ('noreply', 'another'), ('agent', 'another'),
       ('approver', 'another'),
       -- Words that are written in a way of their own for several.
       ('people', 'plural of person'), ('children', 'plural of child'), ('men', 'plural of man'),
       ('women', 'plural of woman'), ('indices', 'plural of index'), ('media', 'plural of medium'),
       -- How the others end, and what stands there of one.
       ('s', 'plural end'), ('es', 'plural end'), ('ies', 'plural end y')) as l (word, sense)
